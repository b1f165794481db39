import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { createAccept } from '../../src/engine/accept/accept.ts';
import { createFindId } from '../../src/engine/accept/intent-id.ts';
import type { FindId } from '../../src/engine/accept/intent-id.ts';
import { keyOf } from '../../src/engine/intent.ts';
import type { Intent, NewIntent, RequestId } from '../../src/engine/intent.ts';
import { tieToChain } from '../../src/engine/store/operators.ts';
import { beginEpochs, noteRaised } from '../../src/engine/store/epochs.ts';
import { insertIntents } from '../../src/engine/store/intents.ts';
import {
  claimEffect,
  deleteOldEffects,
  findEffectsOf,
  findIncomplete,
  lookForUnknown,
  noteLossBy,
  noteUnknownEffects,
  releaseEffects,
} from '../../src/engine/store/unknown-effects.ts';
import { toBytes } from '../../src/lib/hex.ts';
import { createNamedId } from '../../src/lib/named-id.ts';
import type { Owner } from '../../src/lib/owner.ts';
import { insertAccount } from '../../lab/stage/accounts.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';

const OPERATOR = `0x${'0a'.repeat(20)}` as const;
const CONTRACT = `0x${'c0'.repeat(20)}` as const;
const HASH = `0x${'11'.repeat(32)}` as const;

const { db } = useSuiteDatabase(2);
let accountId: string;

beforeEach(async () => {
  await db.raw('truncate accounts, intents, contracts, chain, operators, unknown_effects cascade');
  await tieToChain(db, { chainId: 1n, genesisHash: `0x${'0c'.repeat(32)}`, operator: OPERATOR });
  accountId = await insertAccount(db);
});

function requestOf({ id, otherDayIds }: RequestId): NewIntent {
  const call = { target: CONTRACT, data: '0x00', gasEstimate: 1, gasMax: 2, isControl: false } as const;
  return {
    ...{ id, otherDayIds, accountId, kind: 'mint', contract: CONTRACT, arguments: {}, cost: null },
    environment: 'live',
    call,
    idempotency: null,
    origin: { credentialId: null, address: '127.0.0.1', userAgent: null },
  };
}

async function accept(id: string = randomUUID()): Promise<Intent> {
  const granted = [{ request: requestOf({ id, otherDayIds: [] }), held: null, heldGas: null }];
  const [intent] = await db.transaction((tx) => insertIntents(tx, granted));
  return intent!;
}

const note = (id: string, number: bigint, blockNumber = 5n) =>
  db.transaction((tx) =>
    noteUnknownEffects(tx, [
      { operator: OPERATOR, epoch: 1n, number, key: keyOf(id), transactionHash: HASH, blockNumber },
    ]),
  );
const begin = () => query(db, "update operators set epoch = 2, tag = sha256(''), raised_in = 6");
const rows = () => query(db, 'select epoch from intents order by number');
async function find(id: string) {
  const [intent] = await query<{ number: bigint }>(db, 'select number from intents where id = :id', { id });
  const number = intent?.number ?? 0n;
  return (await findEffectsOf(db, [number], 2n)).get(number) ?? [];
}

test('an id is the same for the same key of an account and environment on one day, and tells nothing of them', async () => {
  const [one, other] = [1, 2].map((byte) => createFindId(db, createNamedId(new Uint8Array(32).fill(byte))));
  const owner = { accountId: 'a', environment: 'live' } as const;
  const idOf = async (find: FindId, asker: Owner, asked: { key: string } | null) =>
    (await find(asker, asked)).id;
  const id = await idOf(one!, owner, { key: 'k' });
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(await idOf(one!, owner, { key: 'k' })).toBe(id);
  const others = await Promise.all([
    idOf(one!, owner, { key: 'l' }),
    idOf(one!, { ...owner, accountId: 'b' }, { key: 'k' }),
    idOf(one!, { ...owner, environment: 'sandbox' }, { key: 'k' }),
    idOf(other!, owner, { key: 'k' }),
    idOf(one!, owner, null),
    idOf(one!, owner, null),
  ]);
  expect(new Set([id, ...others]).size).toBe(7);
});

test('an id is that of yesterday where a lost request of then has an effect, and else of today', async () => {
  const namedId = createNamedId(new Uint8Array(32));
  const { time } = await lookForUnknown(db);
  const idOf = (daysAgo: number) =>
    namedId('intent', 'a', 'live', String(Math.floor(time / 86_400_000) - daysAgo), 'k');
  const find = async () =>
    (await createFindId(db, namedId)({ accountId: 'a', environment: 'live' }, { key: 'k' })).id;
  await note(idOf(2), 76n);
  expect(await find()).toBe(idOf(0));
  await note(idOf(1), 77n);
  expect(await find()).toBe(idOf(1));
  await note(idOf(0), 78n);
  expect(await find()).toBe(idOf(0));
});

test('a request whose effect is known from the chain alone waits in the epoch of that, and finds it once', async () => {
  const id = randomUUID();
  await note(id, 77n);
  await begin();
  const intent = await accept(id);
  await accept();
  expect(await rows()).toEqual([{ epoch: 1n }, { epoch: 2n }]);
  const effect = { epoch: 1n, number: 77n, transactionHash: HASH, blockNumber: 5n };
  expect(await find(id)).toEqual([{ ...effect, askedSecondsAgo: expect.any(Number) }]);
  await db.transaction((tx) => claimEffect(tx, intent.number, { ...effect, operator: OPERATOR }));
  expect((await lookForUnknown(db)).isAny).toBe(false);
  expect([await find(id), await find(randomUUID())]).toEqual([[expect.objectContaining(effect)], []]);
});

test('an effect that was found is kept as long as its intent, and is of none again when a reorg took it away', async () => {
  const id = randomUUID();
  const [{ number }, other] = [await accept(id), await accept()];
  const claim = (of: bigint, at: bigint, hash = HASH) => {
    const effect = { operator: OPERATOR, epoch: 1n, number: at, transactionHash: hash, blockNumber: 5n };
    return db.transaction((tx) => claimEffect(tx, of, effect));
  };
  const left = () => query(db, 'select number, intent_number as of, block_number as at from unknown_effects');
  await claim(number, 77n);
  await claim(other.number, other.number);
  await query(db, `update unknown_effects set noted_at = now() - interval '3 days'`);
  expect(await deleteOldEffects(db, 10)).toBe(0);
  await claim(other.number, 77n, `0x${'12'.repeat(32)}`);
  await note(id, 77n, 8n);
  expect(await find(id)).toMatchObject([{ number: 77n, transactionHash: HASH }]);
  await db.transaction((tx) => releaseEffects(tx, [number, other.number]));
  expect(await left()).toEqual([{ number: 77n, of: null, at: 5n }]);
  await note(id, 77n, 8n);
  expect(await left()).toEqual([{ number: 77n, of: null, at: 8n }]);
  await claim(number, 77n);
  await query(db, 'delete from intents where number = :number', { number: String(number) });
  expect(await left()).toEqual([]);
});

test('an intent that got an epoch whose raise a deep reorg took away goes through the one before', async () => {
  await begin();
  await accept();
  const raise = { operator: OPERATOR, epoch: 2n, tag: `0x${'0e'.repeat(32)}` as const, blockNumber: 9n };
  await query(db, 'update operators set raised_in = null, tag = :tag', { tag: toBytes(raise.tag) });
  expect(await db.transaction((tx) => noteRaised(tx, [raise]))).toEqual([{ operator: OPERATOR, epoch: 2n }]);
  expect(await rows()).toEqual([{ epoch: 1n }]);
});

test('all effects with its key may be that of a request, the earliest first: a thief of a signer can copy the key', async () => {
  const id = randomUUID();
  await accept(id);
  await note(id, 70n, 9n);
  await note(id, 77n, 5n);
  await begin();
  expect((await find(id)).map(({ number }) => number)).toEqual([77n, 70n]);
});

test('an effect of the present epoch is none of a lost request', async () => {
  const id = randomUUID();
  await note(id, 77n);
  await accept(id);
  expect(await rows()).toEqual([{ epoch: 1n }]);
  await begin();
  expect(await find(id)).toHaveLength(1);
  await query(db, 'update unknown_effects set epoch = 2');
  expect(await find(id)).toEqual([]);
});

test('a contract of another Operator is accepted for while an epoch is about to begin', async () => {
  const other = `0x${'0b'.repeat(20)}` as const;
  await query(db, 'insert into operators (address, is_current) values (:other, false)', {
    other: toBytes(other),
  });
  const former = `0x${'c1'.repeat(20)}` as const;
  await query(
    db,
    'insert into contracts (contract, account_id, operator, waiting) values (:former, :accountId, :other, false)',
    {
      ...{ former: toBytes(former), other: toBytes(other) },
      accountId,
    },
  );
  const find = () => db.transaction((tx) => findIncomplete(tx, [CONTRACT, former]));
  expect(await find()).toEqual(new Set());
  await query(db, 'update operators set epoch = 2, tag = sha256(address), raised_in = null where is_current');
  expect(await find()).toEqual(new Set([CONTRACT]));
  await query(db, 'update server set lost_since = now()');
  expect(await find()).toEqual(new Set([CONTRACT, former]));
  await query(db, 'update server set lost_since = null');
});

test('an effect of an intent that is known is none of an unknown one, but where lost commits had its number', async () => {
  const { number, id } = await accept();
  await note(id, number);
  expect(await query(db, 'select 1 from unknown_effects')).toEqual([]);
  await note(randomUUID(), number);
  expect(await query(db, 'select number from unknown_effects')).toEqual([{ number }]);
});

test.each(['failed', 'cancelled'])('an effect of an intent that is %s here shows a loss', async (status) => {
  const { number, id } = await accept();
  const end = `update intents set status = :status, phase = :status, error_code = :code, error_message = :code, final_at = now()`;
  await query(db, end, { status, code: status === 'failed' ? 'CHAIN_ERROR' : null });
  const effect = { operator: OPERATOR, epoch: 1n, number, key: keyOf(id) };
  expect(await noteLossBy(db, [effect])).toBe(true);
  await query(db, 'update server set lost_since = null');
  await note(id, number);
  expect(await query(db, 'select number from unknown_effects')).toEqual([{ number }]);
});

test('a request whose id is taken has another one', async () => {
  const { id } = await accept();
  const second = await accept(id);
  expect(second.id).not.toBe(id);
});

test('nothing that is sent is stored while an epoch is about to begin', async () => {
  await beginEpochs(db);
  await expect(accept()).rejects.toThrow(/violates check constraint/);
});

test('an effect stops the service where no intent is it, in the epoch that has begun', async () => {
  const { number, id } = await accept();
  const isForeign = (changes: Partial<{ epoch: bigint; number: bigint; key: bigint }> = {}) =>
    noteLossBy(db, [{ operator: OPERATOR, epoch: 1n, number, key: keyOf(id), ...changes }]);
  expect(await isForeign()).toBe(false);
  expect(await isForeign({ epoch: 0n, key: 1n })).toBe(false);
  // Archived ones are known no longer.
  await query(
    db,
    `insert into archives (before, file, sha256, last_number) values (now(), 'a', sha256(''), :number)`,
    {
      number: String(number),
    },
  );
  expect(await isForeign({ key: 1n })).toBe(false);
  expect(await query(db, 'select 1 from server where lost_since is not null')).toEqual([]);
  expect(await isForeign({ number: number + 1n })).toBe(true);
  await query(db, 'delete from archives');
  await query(db, 'update server set lost_since = null');
  expect(await isForeign({ key: 1n })).toBe(true);
  await query(db, 'update server set lost_since = null');
  expect(await isForeign({ epoch: 2n })).toBe(true);
  await query(db, 'update server set lost_since = null');
  // What is about to begin ends all doubt by itself.
  await query(db, `update operators set epoch = 2, tag = sha256(''), raised_in = null`);
  expect(await isForeign({ number: number + 1n })).toBe(false);
});

test('the day of a lost request is found as soon as its effect is', async () => {
  const namedId = createNamedId(new Uint8Array(32));
  const findId = createFindId(db, namedId);
  const owner = { accountId, environment: 'live' } as const;
  const { time } = await lookForUnknown(db);
  const yesterday = namedId('intent', accountId, 'live', String(Math.floor(time / 86_400_000) - 1), 'k');
  await query(db, `update operators set epoch = 2, tag = sha256(''), raised_in = null`);
  // Refused, for the epoch has not begun. The next one comes within the second for which an answer is kept.
  await findId(owner, { key: 'k' });
  await note(yesterday, 70n);
  await begin();
  expect((await findId(owner, { key: 'k' })).id).toBe(yesterday);
});

test.each([
  ['yesterday', 0],
  ['tomorrow, by a clock that was ahead', 1],
])(
  'what was lost on another day (%s) is not accepted again when its effect is found after the request got its id',
  async (_day, place) => {
    const findId = createFindId(db, createNamedId(new Uint8Array(32)));
    const accept = createAccept(
      db,
      {
        findGone: async () => new Map(),
        hold: async (_tx, claims) => claims.map(() => ({ held: null, heldGas: null })),
        followUps: { accepted: async () => undefined, settled: async () => undefined },
      },
      () => undefined,
    );
    const find = () => findId({ accountId, environment: 'live' }, { key: 'k' });
    await query(db, `update operators set epoch = 2, tag = sha256(''), raised_in = null`);
    const before = await find();
    const lost = before.otherDayIds[place]!;
    await note(lost, 70n);
    await begin();
    await expect(accept(requestOf(before))).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
    const after = await find();
    expect(after.id).toBe(lost);
    expect(after.otherDayIds).toContain(before.id);
    const { intent } = await accept(requestOf(after));
    expect(await query(db, 'select epoch from intents')).toEqual([{ epoch: 1n }]);
    expect(intent.id).toBe(after.id);
  },
);

test('an effect is forgotten after two days, unless a request that was repeated waits for it', async () => {
  const repeated = randomUUID();
  for (const [place, id] of [randomUUID(), repeated, randomUUID()].entries())
    await note(id, 70n + BigInt(place));
  await query(db, `update unknown_effects set noted_at = now() - interval '49 hours' where number < 72`);
  await begin();
  await accept(repeated);
  expect(await deleteOldEffects(db, 1_000)).toBe(1);
  expect(await query(db, 'select number from unknown_effects order by number')).toEqual([
    { number: 71n },
    { number: 72n },
  ]);
  await query(db, 'delete from intents');
  expect(await deleteOldEffects(db, 1_000)).toBe(1);
});
