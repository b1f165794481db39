import type { BookedIntent } from './books.ts';
import type { ReportedCall } from './operator-events.ts';

/** A view of a token contract and what it must say once a control has had its effect. */
export interface ControlState {
  contract: string;
  /** Selector of the view; the literal, so that nothing is shared with the service. */
  view: string;
  /** Argument of the view; null when it has none. */
  account: string | null;
  is: boolean;
}

/** The one unit that a mint gives to a recipient of its own. */
export interface MintedUnit {
  contract: string;
  recipient: string;
}

/** One answer to a write, and what follows from it. */
export interface Claim {
  kind: 'mint' | 'deploy' | 'control';
  /** Status; null when there was no answer. */
  status: number | null;
  /** Header `Intent-Id`. */
  intent: string | null;
  /** Header `Transaction-Hash`. */
  transaction: string | null;
  /** What the answer said of the effect: the id of an NFT, the address of a token; null when it said nothing. */
  result: bigint | null;
  /** Status of the answer to its cancel; null when there was none. */
  cancel: number | null;
  /** Of a control. */
  state: ControlState | null;
  /** Of a mint: shows its effect apart from the Operator's events, which may belong to another intent of that number. */
  unit: MintedUnit | null;
}

/** What became of an intent: in the service's words, and on the chain. */
interface Fate {
  intent: Pick<BookedIntent, 'status' | 'final' | 'transaction' | 'result'>;
  /** Its successes. */
  effects: readonly Pick<ReportedCall, 'transaction' | 'result'>[];
}

export interface Evidence {
  /** By id of the intent. */
  outcomes: ReadonlyMap<string, Fate>;
  /** `eth_call` at the head of the canonical chain. */
  call(contract: string, data: string): Promise<string>;
  /** Whether a transaction is on the canonical chain. */
  isMined(transaction: string): Promise<boolean>;
  /** An answer may have been taken back: then only what the service says now counts. */
  isBeyondFinal: boolean;
}

/**
 * Answers that the chain does not bear out: a 200 or 201 without its effect, or with another transaction or result, a 502
 * or 503 with an effect, a cancel with one, and controls whose last acknowledged state is not on the chain. 202 promises no
 * success; no answer at all promises nothing.
 */
export async function findFalseAnswers(claims: readonly Claim[], evidence: Evidence): Promise<string[]> {
  const single = evidence.isBeyondFinal
    ? []
    : claims.map(async (claim) => [...(await judgeAnswer(claim, evidence)), ...judgeCancel(claim, evidence)]);
  const mints = claims.map((claim) => judgeUnit(claim, evidence));
  const found = await Promise.all([...single, ...mints, judgeControls(claims, evidence)]);
  return found.flat();
}

/** What the service tells of a confirmed intent from now on, when its event is another one. */
export function findFalseRecords(outcomes: Evidence['outcomes']): string[] {
  return [...outcomes].flatMap(([id, { intent, effects }]) => {
    const { status, final, transaction, result } = intent;
    if (status !== 'confirmed' || !final || transaction === null || effects.length === 0) return [];
    const isTrue = effects.some(
      (effect) =>
        effect.transaction === transaction && (result === null || toNumber(result) === effect.result),
    );
    return isTrue ? [] : [`intent ${id} is confirmed in ${transaction} with ${result}, and its event is not`];
  });
}

/** `balanceOf(address)` */
const BALANCE_OF = '0x70a08231';

const toWord = (address: string): string => address.slice(2).toLowerCase().padStart(64, '0');

/** Where no contract is, the answer is empty: that has given nobody anything. */
const toNumber = (answer: string): bigint => (answer === '0x' ? 0n : BigInt(answer));

/** The recipient has one unit when the mint is confirmed, none when it had no effect, and never more than one. */
async function judgeUnit(
  { unit, intent, cancel }: Claim,
  { outcomes, call, isBeyondFinal }: Evidence,
): Promise<string[]> {
  if (!unit) return [];
  const balance = Number(toNumber(await call(unit.contract, `${BALANCE_OF}${toWord(unit.recipient)}`)));
  const status = statusOf(outcomes.get(intent ?? ''));
  const isCancelled = cancel === 200 && !isBeyondFinal;
  const isWrong =
    balance > 1 ||
    (status === 'confirmed' && balance === 0) ||
    ((['failed', 'cancelled'].includes(status) || isCancelled) && balance > 0);
  return isWrong ? [`mint ${intent} is ${status}, and its recipient has ${balance} units`] : [];
}

const statusOf = (fate: Fate | undefined): string => fate?.intent.status ?? 'unknown';

async function judgeAnswer(claim: Claim, { outcomes, isMined }: Evidence): Promise<string[]> {
  const { kind, status, intent, transaction } = claim;
  if (intent === null || status === null) return [];
  const fate = outcomes.get(intent);
  const effects = fate?.effects ?? [];
  const answered = `${kind} ${intent} was answered ${status}`;
  if ((status === 502 || status === 503) && effects.length > 0) return [`${answered} and has an effect`];
  if ((status !== 200 && status !== 201) || (kind === 'control' && transaction === null)) return [];
  if (effects.length === 0) return [`${answered} and has no effect; it is ${statusOf(fate)}`];
  const effect = effects.find((one) => one.transaction === transaction);
  // A reorg that is not deeper than final may move an effect to another transaction, or another place among mints.
  if (!effect && transaction !== null && (await isMined(transaction)))
    return [`${answered} with ${transaction}, which is mined and has another effect`];
  const shown = effect ?? (kind === 'deploy' ? effects[0]! : null);
  if (shown && claim.result !== null && claim.result !== shown.result)
    return [`${answered} with ${claim.result}, and its event has ${shown.result}`];
  return [];
}

/** What was answered as cancelled has no effect, and stays what it is. */
function judgeCancel({ kind, intent, cancel }: Claim, { outcomes }: Evidence): string[] {
  if (intent === null || cancel !== 200) return [];
  const fate = outcomes.get(intent);
  const effects = fate?.effects.length ?? 0;
  if (effects === 0 && statusOf(fate) === 'cancelled') return [];
  return [
    `the cancel of ${kind} ${intent} was answered 200; it is ${statusOf(fate)}, with ${effects} effects`,
  ];
}

/** Whether a control is to be seen in the end: by its answer, and where that left it open by the verdict. */
function isEffective({ status, intent }: Claim, { outcomes, isBeyondFinal }: Evidence): boolean {
  if (status === null || status >= 300) return false;
  const hasFailed = ['failed', 'cancelled'].includes(statusOf(outcomes.get(intent ?? '')));
  return status === 202 || isBeyondFinal ? !hasFailed : true;
}

/** Of all controls of the same state the last effective one decides; after it an unknown one leaves both possible. */
async function judgeControls(claims: readonly Claim[], evidence: Evidence): Promise<string[]> {
  const last = new Map<string, { expected: ControlState; claim: Claim } | 'open'>();
  for (const claim of claims) {
    if (!claim.state) continue;
    const { contract, view, account } = claim.state;
    const key = `${contract} ${view} ${account}`.toLowerCase();
    if (claim.status === null || claim.status === 500) last.set(key, 'open');
    else if (isEffective(claim, evidence)) last.set(key, { expected: claim.state, claim });
  }
  const found: string[] = [];
  for (const decisive of last.values()) {
    if (decisive === 'open') continue;
    const { expected, claim } = decisive;
    const word = expected.account === null ? '' : toWord(expected.account);
    const seen = toNumber(await evidence.call(expected.contract, `${expected.view}${word}`)) === 1n;
    if (seen !== expected.is) {
      found.push(
        `control ${claim.intent} was answered ${claim.status}, and ${expected.view} of ${expected.contract} is ${seen}`,
      );
    }
  }
  return found;
}
