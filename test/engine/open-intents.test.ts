import { randomUUID } from 'node:crypto';
import { beforeEach, expect, jest, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { createAccept } from '../../src/engine/accept/accept.ts';
import type { NewIntent } from '../../src/engine/intent.ts';
import { BRAKES } from '../../src/lib/brakes.ts';
import { toHex } from '../../src/lib/hex.ts';
import { insertChain } from '../setup/lanes.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';

/* How much of an account may be open. */

const CONTRACT = `0x${'c0'.repeat(20)}` as const;
const MAX_OPEN = 10_000;

const { db } = useSuiteDatabase(2);
const accept = createAccept(
  db,
  {
    findGone: async () => new Map(),
    followUps: { accepted: async () => undefined, settled: async () => undefined },
    hold: async (_tx, claims) => claims.map(({ refusal }) => refusal ?? { held: null, heldGas: null }),
  },
  () => undefined,
);
let accountId: string;

async function newAccount(): Promise<string> {
  const id = randomUUID();
  await query(
    db,
    `insert into accounts (id, email, password_hash) values (:id, :id || '@example.com', '-')`,
    {
      id,
    },
  );
  return id;
}

/** Makes intents of the account, every second one submitted. */
const fill = (count: number) =>
  query(
    db,
    `insert into intents (id, account_id, environment, kind, contract, target, calldata, operator, epoch, status, transaction_hash)
     select gen_random_uuid(), :accountId::uuid, 'live', 'mint', :contract::bytea, :contract::bytea, '\\x00', :contract::bytea, 1,
            case n % 2 when 0 then 'queued' else 'submitted' end, case n % 2 when 1 then decode(repeat('ab', 32), 'hex') end
       from generate_series(1, :count::int) n`,
    { accountId, count, contract: Buffer.alloc(20, 0xc0) },
  );

const request = (changes: Partial<NewIntent> = {}): NewIntent => ({
  ...{
    id: randomUUID(),
    otherDayIds: [],
    accountId,
    environment: 'live',
    kind: 'mint',
    contract: CONTRACT,
    arguments: {},
  },
  call: {
    target: CONTRACT,
    data: '0x',
    gasEstimate: 1,
    gasMax: 1,
    isControl: false,
  },
  cost: null,
  idempotency: null,
  origin: { credentialId: null, address: '127.0.0.1', userAgent: null },
  ...changes,
});

const refused = { code: 'RATE_LIMITED', retryAfterSeconds: 10 };

beforeEach(async () => {
  await db.raw('truncate accounts, intents, chain cascade');
  await insertChain(db, `0x${'01'.repeat(20)}`);
  accountId = await newAccount();
});

test('of requests at once, those are accepted that there is room for', async () => {
  await fill(MAX_OPEN - 2);
  const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => accept(request())));
  expect(outcomes.map(({ status }) => status)).toEqual([
    ...['fulfilled', 'fulfilled'],
    ...['rejected', 'rejected', 'rejected'],
  ]);
  expect(outcomes[4]).toMatchObject({ reason: refused });
  const [count] = await query<{ count: number }>(db, 'select count(*)::int as count from intents');
  expect(count).toEqual({ count: MAX_OPEN });
});

test('what stops a token has room always', async () => {
  await fill(MAX_OPEN);
  for (const kind of BRAKES) await accept(request({ kind }));
  await expect(accept(request())).rejects.toMatchObject(refused);
});

test('other accounts have room of their own', async () => {
  await fill(MAX_OPEN);
  const other = await newAccount();
  const outcomes = await Promise.allSettled([accept(request()), accept(request({ accountId: other }))]);
  expect(outcomes).toMatchObject([{ status: 'rejected', reason: refused }, { status: 'fulfilled' }]);
});

test('what is done makes room', async () => {
  await fill(MAX_OPEN);
  await expect(accept(request())).rejects.toMatchObject(refused);
  await query(
    db,
    `update intents set status = 'confirmed', phase = 'confirmed' where number = (select min(number) from intents)`,
  );
  await accept(request());
  await expect(accept(request())).rejects.toMatchObject(refused);
});

test('a repeated request is answered, and so is what needs no transaction', async () => {
  const idempotency = { key: 'once', requestHash: toHex(Buffer.alloc(32)) };
  await fill(MAX_OPEN - 1);
  const { intent } = await accept(request({ idempotency }));
  expect(await accept(request({ idempotency }))).toMatchObject({ intent: { id: intent.id }, replayed: true });
  await accept(request({ call: null }));
  await expect(accept(request())).rejects.toMatchObject(refused);
});

/** Of which accounts each group of requests had the open intents counted. */
function watchCounts(): { counted: string[][]; [Symbol.dispose](): void } {
  const counted: string[][] = [];
  const note = ({ sql, options }: { sql: string; options: { values: unknown[] } }): void => {
    if (sql.includes('for no key update')) counted.push(options.values[0] as string[]);
  };
  db.on('query', note);
  return { counted, [Symbol.dispose]: () => void db.off('query', note) };
}

test('of an account with plenty of room, what is open is counted once a second', async () => {
  using watch = watchCounts();
  // It stands still: on a busy machine two requests may be more than a second apart.
  let now = performance.now();
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => now);
  await accept(request());
  await accept(request());
  await fill(MAX_OPEN);
  now += 1_100;
  await expect(accept(request())).rejects.toMatchObject(refused);
  expect(watch.counted).toEqual([[accountId], [], [accountId]]);
  clock.mockRestore();
});

test('with half of the room gone, what is open is counted each time: another replica may take the rest', async () => {
  await fill(MAX_OPEN / 2);
  await accept(request());
  await fill(MAX_OPEN / 2);
  await expect(accept(request())).rejects.toMatchObject(refused);
});
