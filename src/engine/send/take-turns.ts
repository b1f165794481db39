import { setBounded } from '../../lib/bounded-map.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Turns } from '../lane/turns.ts';
import type { WaitingContract } from '../store/queue.ts';
import type { Choice } from './choose-batch.ts';
import { spendGas } from './fair-order.ts';
import type { WaitingCall } from './fair-order.ts';

/** Accounts whose last contract is kept. */
const MAX_ACCOUNTS = 1_000;
/** Accounts that owe gas. */
const MAX_DEBTORS = 10_000;

/** What became of a choice. */
interface End {
  /** The contracts that were looked at. */
  contracts: readonly WaitingContract[];
  /** What was sent, and what was refused: both took a turn. */
  done: readonly WaitingCall[];
  /** The newest block. */
  block: bigint;
}

/** Notes whose turn it is next. */
export function takeTurns(turns: Turns, choice: Choice, { contracts, done, block }: End): void {
  const { calls, heldBack, waiting } = choice;
  turns.spent = new Map([...spendGas(waiting, done, turns.spent)].slice(-MAX_DEBTORS));
  if (heldBack === null) turns.heldBack = null;
  else if (turns.heldBack?.number !== heldBack) turns.heldBack = { number: heldBack, block };
  turns.lastAccount = findLastAccount(choice) ?? turns.lastAccount;
  const tried = new Set(calls.map(({ intent }) => intent.contract));
  const served = new Set(calls.map(({ accountId }) => accountId));
  for (const [account, own] of Map.groupBy(contracts, ({ accountId }) => accountId)) {
    const lastContract = findLastContract(own, tried);
    if (!served.has(account) || lastContract === undefined) continue;
    turns.lastContracts.delete(account);
    if (own.length > 1) setBounded(turns.lastContracts, account, lastContract, MAX_ACCOUNTS);
  }
}

/** The last account that had its turn. One whose call was held back comes first once more: it missed room, not its turn. */
function findLastAccount({ calls, heldBack, waiting }: Choice): string | undefined {
  const accounts = [...new Set(waiting.map(({ accountId }) => accountId))];
  const held = waiting.find(({ intent }) => intent.number === heldBack);
  if (held) return accounts[accounts.indexOf(held.accountId) - 1];
  const served = new Set(calls.map(({ accountId }) => accountId));
  return accounts.findLast((account) => served.has(account));
}

/** The contract of an account up to which all had their turn, or nothing to send. */
function findLastContract(contracts: readonly WaitingContract[], tried: ReadonlySet<Hex>): Hex | undefined {
  const next = contracts.findIndex(({ contract, hasQueued }) => hasQueued && !tried.has(contract));
  return next < 0 ? contracts.at(-1)?.contract : contracts[next - 1]?.contract;
}
