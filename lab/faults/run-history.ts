import type { TransactionDescription } from 'ethers';
import { ERC20, ERC721 } from '../../src/chain/abi/interfaces.ts';
import { readEffects } from '../judge/effects.ts';
import type {
  Answered,
  Asked,
  BlockSpan,
  Effect,
  IntentRead,
  Register,
  RunHistory,
  Wish,
} from '../judge/history.ts';
import type { Claim } from '../load/writes.ts';
import type { BookedIntent } from './books.ts';

/*
 * Runs of real processes as the judge takes them. Their clients are many and keep little, so what was asked for is
 * taken from the service's own books, and the order of requests is that of the books; what clients were answered is
 * theirs.
 */

/** After everything that the books know. */
const AT_THE_END = 1e15;
const BURN = `0x${'0'.repeat(40)}`;

export interface RunParts {
  /** Of the node itself. */
  provider: { send(method: string, params: unknown[]): Promise<unknown> };
  operators: string | readonly string[];
  intents: readonly BookedIntent[];
  claims: readonly Claim[];
  /** Of another database, whose last commits a failover or a restored backup took from the books. */
  lost: readonly BookedIntent[];
  /**
   * A reorg deeper than final was made: what was answered may have been taken back, as long as the service says so now.
   */
  isBeyondFinal: boolean;
}

/** The whole run is one fault, since nobody kept the time. */
export async function readRunHistory(parts: RunParts): Promise<RunHistory> {
  const { provider, operators, intents, claims, lost, isBeyondFinal } = parts;
  const ask = <Result>(method: string, params: readonly unknown[]): Promise<Result> =>
    provider.send(method, [...params]) as Promise<Result>;
  const range = { fromBlock: '0x0', toBlock: 'latest' };
  const own = await ask<{ transactionHash: string }[]>('eth_getLogs', [{ ...range, address: operators }]);
  // What others send to the same contracts nobody asked the service for.
  const sent = new Set(own.map(({ transactionHash }) => transactionHash));
  const effects = (await readEffects(ask, 0)).filter(({ transactionHash }) => sent.has(transactionHash));
  const answers = Map.groupBy(claims, ({ intent }) => intent);
  const known = intents.flatMap((intent, place) =>
    wishesOf(intent, place, isBeyondFinal ? [] : (answers.get(intent.id) ?? [])),
  );
  const ids = new Set(intents.map(({ id }) => id));
  const unknown = lost.filter(({ id }) => !ids.has(id)).flatMap((intent, place) => unknownOf(intent, place));
  const reported = new Set([...intents, ...claims].flatMap(({ transaction }) => transaction ?? []));
  const blocks = [...reported].map((hash, number): BlockSpan => ({
    ...{ number, hash: `of ${hash}`, transactions: [hash], from: -1 },
    to: sent.has(hash) ? null : 0,
  }));
  const fault = { kind: 'the run', from: -Infinity, to: Infinity, stops: null, cuts: [], allows: [] };
  return {
    ...{ wishes: [...known, ...unknown], effects, blocks, faults: [fault] },
    ...{ received: [], receivers: {}, meters: [], engines: [], endpoints: [] },
  };
}

/** An intent as the wishes of a client: one for each recipient of a batch. None for what the chain does not show. */
function wishesOf(intent: BookedIntent, place: number, claims: readonly Claim[]): Wish[] {
  const [claim] = claims;
  const { id } = intent;
  const accepted = {
    ...{ askedAt: place, at: place + 0.25, status: 202, intentId: id },
    body: { intent: { id, kind: intent.kind, status: 'queued', transaction: null } },
  };
  const answer = claim ? answerOf(claim, place) : null;
  const cancel = claim ? claim.cancel : intent.status === 'cancelled' ? 200 : null;
  const read = { askedAt: AT_THE_END, at: AT_THE_END, intent: readOf(intent) };
  return effectsOf(intent).map((counted, index) => ({
    ...wishOf(intent, { ...counted, index, place }),
    answers: answer ? [accepted, answer] : [accepted],
    reads: [read],
    cancels: cancel === null ? [] : [cancelOf(cancel, id, place)],
  }));
}

/** What the books no longer know may have happened, or not. */
const unknownOf = (intent: BookedIntent, place: number): Wish[] =>
  effectsOf(intent).map((counted, index) => ({
    ...wishOf(intent, { ...counted, index, place }),
    isGivenUp: true,
  }));

interface Counted {
  effect: Effect;
  items: number;
}

function wishOf(
  { id, account, environment, kind }: BookedIntent,
  { effect, items, index, place }: Counted & { index: number; place: number },
): Wish {
  const key = index === 0 ? id : `${id}, ${index}`;
  const asked = { askedAt: place, sendings: 1, answers: [], reads: [], cancels: [] };
  return { key, account, environment, operation: kind, effect, items, ...asked };
}

/** As `GET /intents/{id}` shows it. */
function readOf({ id, kind, contract, status, transaction, result, error }: BookedIntent): IntentRead {
  // A verdict that cannot be stored is shown as none.
  const shown = (status === 'quarantined' ? 'submitted' : status) as IntentRead['status'];
  const [code = '', ...words] = error?.split(' ') ?? [];
  const isNft = kind === 'mint' && result !== null && BigInt(result) > 0n;
  return {
    ...{ id, kind, contract, status: shown, tokenId: isNft ? String(BigInt(result)) : null },
    transaction:
      transaction === null || status === 'queued' || status === 'cancelled' ? null : { hash: transaction },
    error: error === null ? null : { code, message: words.join(' ') },
  };
}

/** What a client was answered; null when that tells nothing of the intent's end. */
function answerOf(
  { kind, status, intent, transaction, result }: Claim,
  place: number,
): (Answered & Asked) | null {
  if (status === null || status === 202 || status === 500) return null;
  const times = { askedAt: place, at: place + 0.5, status, intentId: intent };
  if (status >= 400) return { ...times, body: { code: codeOf(status), message: 'as it was answered' } };
  const tokenId = kind === 'mint' && result !== null ? { tokenId: String(result) } : {};
  const sent = transaction === null ? {} : { transaction: { hash: transaction } };
  return { ...times, body: { success: true, data: { ...sent, ...tokenId } } };
}

function cancelOf(status: number, id: string, place: number): Answered & Asked {
  const body =
    status === 200 ? { id, status: 'cancelled', error: null } : { code: codeOf(status), message: '' };
  return { askedAt: place + 0.5, at: place + 0.75, status, body, intentId: null };
}

const CODES: Readonly<Record<number, string>> = {
  401: 'UNAUTHORIZED',
  403: 'QUOTA_EXCEEDED',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  422: 'VALIDATION_ERROR',
  429: 'RATE_LIMITED',
  502: 'CHAIN_ERROR',
  503: 'NOT_READY',
};

/** The code that goes with a status of a write that was refused. */
export const codeOf = (status: number): string => CODES[status] ?? 'INTERNAL_ERROR';

/**
 * What an intent does to the chain, and how often: once but in batches. Nothing where the books do not keep what was
 * asked for.
 */
function effectsOf({ kind, contract, asked, calldata }: BookedIntent): Counted[] {
  const sent = calldata === null ? null : { data: calldata };
  const call = sent && (ERC20.parseTransaction(sent) ?? ERC721.parseTransaction(sent));
  const set = (register: Register, value: string): Counted[] => [
    { effect: { kind: 'set', contract, register, value }, items: 1 },
  ];
  const account = String(asked.account).toLowerCase();
  const ofToken = typeof asked.tokenId === 'string' ? ` ${asked.tokenId}` : '';
  switch (kind) {
    case 'deploy_token':
    case 'create_collection':
      return asked.symbol ? [{ effect: { kind: 'deploy', symbol: asked.symbol }, items: 1 }] : [];
    case 'mint': {
      const amount = asked.type === 'ERC20' ? (call?.args[1] as bigint) : null;
      return asked.to ? [{ effect: { kind, contract, to: asked.to, amount }, items: 1 }] : [];
    }
    case 'batch_mint':
      return [...Map.groupBy(asked.recipients ?? [], (to) => to)].map(([to, { length: items }]) => ({
        effect: { kind: 'mint', contract, to, amount: null },
        items,
      }));
    case 'pause':
    case 'unpause':
      return set('paused', String(kind === 'pause'));
    case 'lock_transfers':
    case 'unlock_transfers':
      return set('locked', String(kind === 'lock_transfers'));
    case 'freeze':
    case 'unfreeze':
      return set(`frozen ${account}`, String(kind === 'freeze'));
    case 'approve_account':
    case 'unapprove_account':
      return set(`approved ${account}`, String(kind === 'approve_account'));
    case 'close_mint':
    case 'reopen_mint':
      return set('closed', String(kind === 'close_mint'));
    case 'renounce_controls':
    case 'restore_controls':
      return set('renounced', String(kind === 'renounce_controls'));
    case 'freeze_metadata':
    case 'unfreeze_metadata':
      return set(`metadata frozen${ofToken}`, String(kind === 'freeze_metadata'));
    case 'set_metadata':
      return nameIn(call).flatMap((name) => set(`metadata${ofToken}` as Register, name));
    case 'set_mint_limit':
      return call ? set('limit', String(call.args[0])) : [];
    case 'set_royalty':
      return call ? set('royalty', `${String(call.args[0]).toLowerCase()} ${call.args[1]}`) : [];
    case 'force_transfer': {
      const amount = BigInt(asked.amount ?? asked.tokenId ?? 0);
      const effect: Effect = { kind: 'move', contract, from: asked.from!, to: asked.to ?? BURN, amount };
      return [{ effect, items: 1 }];
    }
    default:
      throw new Error(`the judge does not know the kind ${kind}`);
  }
}

/** The value of `name` in a call that sets metadata. */
function nameIn(call: TransactionDescription | null): string[] {
  const entries = (call?.args.at(-1) ?? []) as { key: string; value: string }[];
  return entries
    .filter(({ key }) => key === 'name')
    .map(({ value }) => Buffer.from(value.slice(2), 'hex').toString());
}
