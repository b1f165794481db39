import { createHmac } from 'node:crypto';
import type {
  ChainEffect,
  Effect,
  IntentRead,
  Received,
  Register,
  RunHistory,
  Wish,
} from '../../lab/judge/history.ts';
import { judge } from '../../lab/judge/judge.ts';
import type { Violation } from '../../lab/judge/judge.ts';

export const ACCOUNT = 'account';
export const CONTRACT = '0x00000000000000000000000000000000000000aa';
export const UNREACHABLE = {
  code: 'CHAIN_ERROR',
  message: 'The chain does not answer at the moment, and nothing was sent. Try again later.',
};
const SECRET = 'whsec_c2VjcmV0';

/** A history that a test may change. */
export interface Draft extends RunHistory {
  wishes: Wish[];
  effects: ChainEffect[];
  blocks: { -readonly [Key in keyof RunHistory['blocks'][number]]: RunHistory['blocks'][number][Key] }[];
  received: Received[];
  meters: { account: string; mints: number; credits: number }[];
  faults: RunHistory['faults'][number][];
  engines: { name: string; signer: string }[];
}

export const hashOf = (index: number): string => `0x${String(index).padStart(64, '0')}`;
export const recipientOf = (index: number): string => `0x${String(index).padStart(40, '0')}`;
/** The rules that a run breaks, each with what it is about. */
export const findingsOf = (history: RunHistory): string[] => judge(history).map(shown);
const shown = ({ rule, subject }: Violation): string => `${rule}: ${subject}`;

const emptyRun = (): Draft => ({
  wishes: [],
  effects: [],
  blocks: [],
  received: [],
  meters: [{ account: ACCOUNT, mints: 0, credits: 0 }],
  faults: [],
  engines: [{ name: 'engine-1', signer: 'one' }],
  endpoints: ['http://node-1', 'http://node-2'],
  receivers: { '/0': { account: ACCOUNT, environment: 'live', secret: SECRET } },
});

/** A run of mints of 5 units, asked for a second after each other, in which everything went well. */
export function soundRun(mints = 6): Draft {
  const run = emptyRun();
  for (let index = 1; index <= mints; index += 1) {
    carryOut(run, 'mintToken', { kind: 'mint', contract: CONTRACT, to: recipientOf(index), amount: 5n });
  }
  return run;
}

/** Adds a request, asked for a second after the last one, that is confirmed at once. */
export function carryOut(run: Draft, operation: string, effect: Effect, items = 1): Wish {
  const index = run.wishes.length + 1;
  const askedAt = index * 1_000;
  const contract = effect.kind === 'deploy' ? CONTRACT : effect.contract;
  const intent: IntentRead = {
    ...{ id: `intent-${index}`, kind: 'mint', contract, status: 'confirmed', error: null },
    transaction: { hash: hashOf(index) },
  };
  const wish: Wish = {
    ...{ key: `key-${index}`, account: ACCOUNT, environment: 'live', operation, effect, items, askedAt },
    sendings: 1,
    answers: [{ askedAt, at: askedAt + 500, status: 200, body: { success: true }, intentId: intent.id }],
    reads: [{ askedAt: askedAt + 1_000, at: askedAt + 1_010, intent }],
    cancels: [],
  };
  run.wishes.push(wish);
  for (let item = 0; item < items; item += 1) {
    const tokenId = effect.kind === 'mint' && effect.amount === null ? String(item + 1) : null;
    run.effects.push({
      effect,
      contract,
      tokenId,
      transactionHash: hashOf(index),
      block: index,
      logIndex: item,
    });
  }
  const block = { number: index, hash: `block-${index}`, transactions: [hashOf(index)] };
  run.blocks.push({ ...block, from: askedAt + 300, to: null });
  run.received.push(messageOf(intent, 'intent.confirmed', 1, askedAt + 600));
  if (operation === 'mintToken' || operation === 'deployToken') run.meters[0]!.mints += 1;
  return wish;
}

/** Adds a control: what the contract remembers is set. */
export const set = (run: Draft, register: Register, value: string): Wish =>
  carryOut(run, 'control', { kind: 'set', contract: CONTRACT, register, value });

export function messageOf(data: IntentRead, type: string, sequence: number, at: number): Received {
  const body = JSON.stringify({ type, sequence, data });
  const [id, timestamp] = [`message-${data.id}-${sequence}`, '1'];
  const key = Buffer.from(SECRET.replace('whsec_', ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
  return { receiver: '/0', at, headers, body };
}

/** Lets a request have failed, with its unit given back, and everybody told. */
export function fail(run: Draft, wish: Wish, error: { code: string; message: string }, status = 502): void {
  const [{ intent }] = wish.reads as [Wish['reads'][number]];
  const { hash } = intent.transaction!;
  Object.assign(intent, { status: 'failed', transaction: null, error });
  Object.assign(wish.answers[0]!, { status, body: error });
  run.effects = run.effects.filter(({ transactionHash }) => transactionHash !== hash);
  for (const block of run.blocks) block.transactions = block.transactions.filter((each) => each !== hash);
  run.received = run.received.map((message) =>
    message.body.includes(`"${intent.id}"`) ? messageOf(intent, 'intent.failed', 1, message.at) : message,
  );
  if (wish.operation === 'mintToken') run.meters[0]!.mints -= 1;
}
