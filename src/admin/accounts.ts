import { createAccountAdministration } from '../features/accounts/administration.ts';
import { createKeyService } from '../features/keys/service.ts';
import { findKeyOwner, revokeOthers } from '../features/keys/store.ts';
import { createMeteringService } from '../features/metering/service.ts';
import type { Plan } from '../lib/plans.ts';
import type { AdminContext } from './open.ts';
import { table } from './report.ts';
import type { Report } from './report.ts';

function open({ db }: AdminContext) {
  return createAccountAdministration(db, {
    endAllSessions: (tx, accountId) => revokeOthers(tx, { accountId, credentialId: null }),
  });
}

export async function createInvites(context: AdminContext, count: number): Promise<Report> {
  const codes = await open(context).createInvites(count);
  return { json: codes.map((code) => ({ code })), text: codes.join('\n') };
}

export async function listInvites(context: AdminContext): Promise<Report> {
  const invites = await open(context).listInvites();
  return {
    json: invites,
    text: table(
      ['code begins', 'created', 'used by', 'used', 'tries'],
      invites.map(({ hint, createdAt, usedBy, usedAt, tries }) => [hint, createdAt, usedBy, usedAt, tries]),
      'There are no invites; "invites create" creates one.',
    ),
  };
}

export async function listAccounts(context: AdminContext): Promise<Report> {
  const accounts = await open(context).list();
  return {
    json: accounts,
    text: table(
      ['e-mail', 'plan', 'since', 'id', 'suspended'],
      accounts.map(({ email, plan, createdAt, id, suspendedAt }) => [
        email,
        plan,
        createdAt,
        id,
        suspendedAt,
      ]),
      'There are no accounts; they register with an invite.',
    ),
  };
}

/**
 * Changes the plan, for the running month too: a larger plan has its whole grant at once, a smaller one leaves at least
 * 0.
 */
export async function setPlan(context: AdminContext, email: string, plan: Plan): Promise<Report> {
  const { account, before } = await open(context).setPlan(email, plan);
  const metering = createMeteringService(context.db, context.config);
  const mints = await metering.usage(account.id, 'mints');
  const credits = await metering.usage(account.id, 'credits');
  return {
    json: {
      id: account.id,
      email: account.email,
      before,
      plan,
      mintsUsed: mints.used,
      mintsRemaining: mints.remaining,
      creditsUsed: credits.used,
      creditsRemaining: credits.remaining,
    },
    text:
      `${account.email} has the plan ${plan} (it was ${before}). Left in this month: ` +
      `${mints.remaining} mints, ${credits.remaining} credits.`,
  };
}

/** Changes the gas of a day, for the running one too. @param gasPerDay null for that of the plan */
export async function setGas(
  context: AdminContext,
  email: string,
  gasPerDay: number | null,
): Promise<Report> {
  const { account, before } = await open(context).setGas(email, gasPerDay);
  const { used, held, remaining } = await createMeteringService(context.db, context.config).gas(account.id);
  const amount = (gas: number | null): string => (gas === null ? 'that of its plan' : String(gas));
  return {
    json: {
      ...{ id: account.id, email: account.email, before, gasPerDay },
      ...{ gasUsed: used, gasHeld: held, gasRemaining: remaining },
    },
    text:
      `The gas of a day of ${account.email} is ${amount(gasPerDay)} (it was ${amount(before)}). ` +
      `Left today (UTC): ${remaining}; ${used} are used and ${held} held.`,
  };
}

export async function resetPassword(context: AdminContext, email: string): Promise<Report> {
  const { account, password } = await open(context).resetPassword(email);
  return {
    json: { id: account.id, email: account.email, password },
    text:
      `The new password of ${account.email}, shown this once: ${password}\n` +
      'Its sessions and access tokens have ended; its API keys stay valid.',
  };
}

export async function suspendAccount(context: AdminContext, email: string): Promise<Report> {
  const account = await open(context).suspend(email);
  return {
    json: { id: account.id, email: account.email, isSuspended: true },
    text:
      `${account.email} is suspended: its password and all of its credentials are refused at once. ` +
      'What was accepted goes on.',
  };
}

export async function resumeAccount(context: AdminContext, email: string): Promise<Report> {
  const account = await open(context).resume(email);
  return {
    json: { id: account.id, email: account.email, isSuspended: false },
    text: `${account.email} is no longer suspended: what was valid before is valid again.`,
  };
}

export async function revokeKey({ db }: AdminContext, id: string): Promise<Report> {
  const owner = await findKeyOwner(db, id);
  if (owner === undefined) throw new Error('There is no API key with this id');
  const { name, keyPrefix, environment, createdAt, revokedAt } = await createKeyService(db).revoke(
    owner,
    id,
    {
      actor: 'operator',
      origin: null,
    },
  );
  return {
    json: { id, accountId: owner, name, keyPrefix, environment, createdAt, revokedAt },
    text: `The API key ${keyPrefix}… of account ${owner} is revoked.`,
  };
}
