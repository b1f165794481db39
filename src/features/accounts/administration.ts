import { randomBytes } from 'node:crypto';
import { recordAudit } from '../../db/audit.ts';
import type { AuditAction, AuditEntry } from '../../db/audit.ts';
import type { Db, Tx } from '../../db/client.ts';
import { AppError } from '../../errors.ts';
import type { Plan } from '../../lib/plans.ts';
import { keptInvite } from './invite-code.ts';
import { hashPassword } from './password.ts';
import {
  findByEmail,
  insertInvites,
  listAccounts,
  listInvites,
  replacePassword,
  updateGasPerDay,
  updatePlan,
  updateSuspension,
} from './store.ts';
import type { Account, ListedAccount, ListedInvite } from './store.ts';

/** What the operator may do with accounts. Each @throws AppError NOT_FOUND for an e-mail that no account has. */
interface AccountAdministration {
  /** Makes new invites. Returns their codes, which are kept nowhere. */
  createInvites(count: number): Promise<string[]>;
  listInvites(): Promise<ListedInvite[]>;
  list(): Promise<ListedAccount[]>;
  /** Changes the plan, for the running month too. Returns the one before. */
  setPlan(email: string, plan: Plan): Promise<{ account: Account; before: Plan }>;
  /** Sets the gas of a day, for the running one too; null for that of the plan. Returns the one before. */
  setGas(email: string, gasPerDay: number | null): Promise<{ account: Account; before: number | null }>;
  /** Sets a random password, returned here once, and ends every session and access token; API keys go on. */
  resetPassword(email: string): Promise<{ account: Account; password: string }>;
  /**
   * From now on every credential of the account is refused, and so is its password. What was accepted goes on.
   * @throws AppError CONFLICT when it is suspended already
   */
  suspend(email: string): Promise<Account>;
  /** Ends a suspension: what was valid before is valid again. @throws AppError CONFLICT when there is none */
  resume(email: string): Promise<Account>;
}

/** Handed over by the composition root: accounts do not know credentials. */
interface AccountPorts {
  endAllSessions(tx: Tx, accountId: string): Promise<void>;
}

/** Bytes of randomness in an invite's code and in a password. */
const CODE_BYTES = 16;
const PASSWORD_BYTES = 18;

export function createAccountAdministration(db: Db, ports: AccountPorts): AccountAdministration {
  const find = async (email: string): Promise<Account> => {
    const found = await findByEmail(db, email);
    if (!found) throw new AppError('NOT_FOUND', `No account has the e-mail ${email}`);
    return found.account;
  };
  const setSuspended = async (email: string, isSuspended: boolean): Promise<Account> => {
    const account = await find(email);
    const isChanged = await db.transaction(async (tx) => {
      if (!(await updateSuspension(tx, account.id, isSuspended))) return false;
      const action = isSuspended ? 'account_suspended' : 'account_resumed';
      await recordAudit(tx, [byOperator(action, account.id)]);
      return true;
    });
    if (isChanged) return account;
    const state = isSuspended ? 'suspended already' : 'not suspended';
    throw new AppError('CONFLICT', `${account.email} is ${state}`);
  };
  return {
    createInvites: async (count) => {
      const codes = Array.from({ length: count }, () => randomBytes(CODE_BYTES).toString('base64url'));
      await insertInvites(db, codes.map(keptInvite));
      return codes;
    },
    listInvites: () => listInvites(db),
    list: () => listAccounts(db),
    setPlan: async (email, plan) => {
      const account = await find(email);
      const before = await db.transaction(async (tx) => {
        const former = await updatePlan(tx, account.id, plan);
        await recordAudit(tx, [byOperator('plan_changed', account.id, { from: former, to: plan })]);
        return former;
      });
      return { account: { ...account, plan }, before: before ?? account.plan };
    },
    setGas: async (email, gasPerDay) => {
      const account = await find(email);
      return { account, ...(await updateGasPerDay(db, account.id, gasPerDay)) };
    },
    suspend: (email) => setSuspended(email, true),
    resume: (email) => setSuspended(email, false),
    resetPassword: async (email) => {
      const account = await find(email);
      const password = randomBytes(PASSWORD_BYTES).toString('base64url');
      const passwordHash = await hashPassword(password);
      await db.transaction(async (tx) => {
        await replacePassword(tx, account.id, passwordHash);
        await ports.endAllSessions(tx, account.id);
        await recordAudit(tx, [byOperator('password_reset', account.id)]);
      });
      return { account, password };
    },
  };
}

function byOperator(
  action: AuditAction,
  accountId: string,
  details: Record<string, unknown> = {},
): AuditEntry {
  return { action, actor: 'operator', accountId, origin: null, details };
}
