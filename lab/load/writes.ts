import { randomUUID } from 'node:crypto';
import type { ClientLog } from '../faults/judge.ts';
import { mintBody } from './load.ts';
import type { Target } from './load.ts';
import type { Random } from '../random.ts';
import type { TestAccount } from '../stage/service.ts';

/** A write of a client, as data: made from a seed. */
export type Write = Asked & {
  /** Right after it a write of its target is cancelled: the one that is so many before it, 0 for itself. */
  cancels?: number;
};

type Asked =
  | { kind: 'mint'; target: number; isWaiting: boolean }
  | { kind: 'deploy'; target: number; isWaiting: boolean }
  | { kind: 'control'; target: number; isWaiting: boolean; control: Control; on: boolean; account: number };

export type Control = 'freeze' | 'lock' | 'approve';

/** Far longer than the service waits for a verdict: no answer by then is none. */
const ANSWER_MS = 30_000;
/** Every mint of this process has a recipient of its own; the numbers below are for contracts that every chain has. */
let lastRecipient = 2n ** 64n;

function nextRecipient(): string {
  lastRecipient += 1n;
  return `0x${lastRecipient.toString(16).padStart(40, '0')}`;
}
/** Whose marks are changed: nobody who mints. */
const ACCOUNTS = ['0x00000000000000000000000000000000000A11cE', '0x0000000000000000000000000000000000000B0b'];

/** The one unit that a mint gives to a recipient of its own. */
interface MintedUnit {
  contract: string;
  recipient: string;
}

/** One answer to a write, and what follows from it. */
export interface Claim {
  kind: Write['kind'];
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
  /** Of a mint. */
  unit: MintedUnit | null;
}

interface WritesOptions {
  targets: number;
  /** Parts of all writes, from 0 to 1; the rest are mints. */
  controls?: number;
  deploys?: number;
  /** Part that waits for the verdict. */
  waiting?: number;
  /** Part that is followed by a cancel, of itself or of one of the two before it. */
  cancels?: number;
}

/** Draws writes. None of them has a reason to fail. */
export function drawWrites(
  random: Random,
  count: number,
  { targets, controls = 0, deploys = 0, waiting = 0.5, cancels = 0.2 }: WritesOptions,
): Write[] {
  const ends = random.fork('cancels');
  const draw = (): Asked => {
    const target = random.whole(0, targets - 1);
    const isWaiting = random.chance(waiting);
    const drawn = random.fraction();
    if (drawn < deploys) return { kind: 'deploy', target, isWaiting };
    if (drawn >= deploys + controls) return { kind: 'mint', target, isWaiting };
    const control = random.pick(['freeze', 'lock', 'approve'] as const);
    return {
      kind: 'control',
      target,
      isWaiting,
      control,
      on: random.chance(0.6),
      account: random.whole(0, 1),
    };
  };
  return Array.from({ length: count }, () => {
    const write = draw();
    return ends.chance(cancels) ? { ...write, cancels: ends.whole(0, 2) } : write;
  });
}

/** Makes the writes: those of one target in their order, of all targets at once. `accepted` is waited for. */
export async function makeWrites(
  writes: readonly Write[],
  targets: readonly Target[],
  log: ClientLog,
  accepted: () => Promise<void> = async () => undefined,
): Promise<void> {
  const makeAll = async (place: number): Promise<void> => {
    const made: Claim[] = [];
    for (const write of writes) {
      if (write.target % targets.length !== place) continue;
      const claim = await makeWrite(write, targets[place]!, log);
      made.unshift(claim);
      if (write.cancels !== undefined) await cancelWrite(made[write.cancels], targets[place]!.account);
      if (claim.status !== null && claim.status < 300) await accepted();
    }
  };
  await Promise.all(targets.map((_, place) => makeAll(place)));
}

/** Cancels what was only accepted, and was not cancelled before. */
export async function cancelWrite(
  claim: Claim | undefined,
  { api }: Pick<TestAccount, 'api'>,
): Promise<void> {
  if (claim?.status !== 202 || claim.intent === null || claim.cancel === 200) return;
  const params = { path: { id: claim.intent } };
  const signal = AbortSignal.timeout(ANSWER_MS);
  // Without an answer it may be cancelled, or not.
  const answer = await api.POST('/intents/{id}/cancel', { params, signal }).catch(() => null);
  claim.cancel = answer?.response.status ?? null;
}

/** Makes one write and keeps what the client was told. */
export async function makeWrite(write: Write, target: Target, log: ClientLog): Promise<Claim> {
  const { address } = target;
  const claim: Claim = {
    kind: write.kind,
    status: null,
    intent: null,
    transaction: null,
    result: null,
    cancel: null,
    unit: write.kind === 'mint' ? { contract: address, recipient: nextRecipient() } : null,
  };
  // In the order of the requests, not of the answers.
  log.claims.push(claim);
  try {
    const { data, response } = await request(write, target, claim.unit);
    const { status, headers } = response;
    claim.status = status;
    claim.intent = headers.get('Intent-Id');
    claim.transaction = headers.get('Transaction-Hash');
    claim.result = resultOf(data);
    if (status >= 300) log.refused.push(status);
    else if (claim.intent) log.acknowledged.add(claim.intent);
  } catch {
    log.unknown += 1;
  }
  return claim;
}

/** An answer as the client parses it. */
interface Answer {
  data?: unknown;
  response: Response;
}

/** The id of an NFT, or the address of a token, in an answer that has one. */
function resultOf(body: unknown): bigint | null {
  const { data } = (body ?? {}) as { data?: { tokenId?: string; address?: string } };
  const result = data?.tokenId ?? data?.address;
  return result === undefined ? null : BigInt(result);
}

async function request(write: Write, target: Target, unit: MintedUnit | null): Promise<Answer> {
  const { account, address } = target;
  const { api } = account;
  const signal = AbortSignal.timeout(ANSWER_MS);
  const header = {
    'Idempotency-Key': randomUUID(),
    ...(write.isWaiting ? {} : { Prefer: 'respond-async' }),
  };
  if (write.kind === 'deploy') {
    const body = { type: 'ERC20', name: 'Coin', symbol: 'C', decimals: 18, isPermissionless: true } as const;
    return api.POST('/tokens', { params: { header }, body, signal });
  }
  const params = { path: { address }, header };
  if (unit) {
    const body = mintBody(target, unit.recipient);
    return api.POST('/tokens/{address}/mint', { params, body, signal });
  }
  if (write.kind !== 'control') throw new Error('a mint has a recipient');
  const body = { account: ACCOUNTS[write.account]! };
  switch (`${write.control} ${write.on}` as const) {
    case 'freeze true':
      return api.POST('/tokens/{address}/freeze', { params, body, signal });
    case 'freeze false':
      return api.POST('/tokens/{address}/unfreeze', { params, body, signal });
    case 'approve true':
      return api.POST('/tokens/{address}/approve-account', { params, body, signal });
    case 'approve false':
      return api.POST('/tokens/{address}/unapprove-account', { params, body, signal });
    case 'lock true':
      return api.POST('/tokens/{address}/lock-transfers', { params, signal });
    case 'lock false':
      return api.POST('/tokens/{address}/unlock-transfers', { params, signal });
  }
}
