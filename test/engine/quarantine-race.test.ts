import { beforeEach, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import type { Db } from '../../src/db/client.ts';
import { withQuarantine } from '../../src/engine/verdict/verdict.ts';
import { retryIntent } from '../../src/engine/recover/commands.ts';
import { insertTransaction } from '../../src/engine/store/insert-transaction.ts';
import { findOvertakenBy } from '../../src/engine/store/overtaken.ts';
import { quarantineIntent } from '../../src/engine/store/quarantine.ts';
import {
  cancelQueued,
  confirmIntents,
  findNotFinal,
  retractIntents,
} from '../../src/engine/store/verdicts.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { toBytes } from '../../src/lib/hex.ts';
import { insertAccount } from '../../lab/stage/accounts.ts';
import { createDeadlock } from '../setup/deadlock.ts';
import { insertLane } from '../setup/lanes.ts';
import { queueIntent } from '../setup/queue.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';
import { createAttempt, createDraft } from '../setup/transactions.ts';

const SIGNER = `0x${'01'.repeat(20)}` as const;
const CONTRACT = `0x${'c0'.repeat(20)}` as const;
const HASH = `0x${'aa'.repeat(32)}` as const;

const { db } = useSuiteDatabase(3);

beforeEach(() => db.raw('truncate accounts, intents, lanes, transactions cascade'));

/** An intent in quarantine whose transaction is mined; with `isConfirmed` only its final verdict was refused. */
async function quarantineMined(isConfirmed = false): Promise<{ id: string; number: bigint }> {
  await insertAccount(db);
  await insertLane(db, SIGNER);
  const intent = await queueIntent(db, CONTRACT);
  await insertTransaction(
    db,
    { signer: SIGNER, term: 1n },
    createDraft(CONTRACT, [intent.number], { attempt: createAttempt(HASH) }),
  );
  await query(
    db,
    `update transactions set status = 'mined', mined_hash = :hash, block_number = 1, block_hash = :hash`,
    { hash: toBytes(HASH) },
  );
  const { number } = intent;
  if (isConfirmed) {
    const success = { number, result: '0x01', transactionHash: HASH } as const;
    await db.transaction((tx) => confirmIntents(tx, [success], false));
  }
  await db.transaction((tx) => quarantineIntent(tx, number, 'no'));
  return intent;
}

const notAsked = () => Promise.reject(new Error('not asked'));

const retryParts = () => ({
  db,
  rpc: { call: notAsked, callEach: notAsked },
  log: createLogger('silent'),
  config: { operator: CONTRACT, formerOperators: [] },
  followUps: { settled: async () => undefined },
});

test('a transaction that becomes final while its intent is retried is no revert', async () => {
  const intent = await quarantineMined();
  const becomesFinal = new Proxy(db, {
    get: (target, name) => {
      if (name !== 'transaction') return Reflect.get(target, name) as unknown;
      return async (work: Parameters<Db['transaction']>[0]) => {
        await query(db, `update transactions set status = 'final'`);
        return target.transaction(work);
      };
    },
  });
  await expect(retryIntent({ ...retryParts(), db: becomesFinal }, intent)).rejects.toThrow(
    'run the command again',
  );
  expect(await query(db, 'select status from intents')).toEqual([{ status: 'quarantined' }]);
  // Now the chain is asked what became of it.
  await expect(retryIntent(retryParts(), intent)).rejects.toThrow('not asked');
});

test('a quarantined intent is confirmed by no block, but by a retry', async () => {
  const { number } = await quarantineMined();
  const success = { number, result: '0x01', transactionHash: HASH } as const;
  for (const isFinal of [false, true])
    expect(await db.transaction((tx) => confirmIntents(tx, [success], isFinal))).toEqual([]);
  expect(await query(db, 'select status from intents')).toEqual([{ status: 'quarantined' }]);
});

const notFinal = () => db.transaction(findNotFinal);

test.each([
  ['submitted', true],
  ['queued', false],
])(
  'a quarantined success that a reorg took back is shown as %s, when it is in a transaction: %s',
  async (status, isInFlight) => {
    const { number } = await quarantineMined(true);
    if (!isInFlight) await query(db, 'update intents set decided_by = null');
    // The first look after a start takes back what it does not find again.
    expect(await notFinal()).toMatchObject([{ number }]);
    const retract = () => db.transaction((tx) => retractIntents(tx, [number]));
    expect(await retract()).toMatchObject([
      { intent: { status, result: null, transactionHash: isInFlight ? HASH : null } },
    ]);
    expect(await query(db, 'select status from intents')).toEqual([{ status: 'quarantined' }]);
    expect(await retract()).toEqual([]);
    expect(await notFinal()).toEqual([]);
  },
);

test('a quarantined success in a final block is not looked for again', async () => {
  await quarantineMined(true);
  await query(db, `update transactions set status = 'final'`);
  expect(await notFinal()).toEqual([]);
});

test('a quarantined intent without a success is not taken back', async () => {
  const { number } = await quarantineMined();
  expect(await notFinal()).toEqual([]);
  expect(await db.transaction((tx) => retractIntents(tx, [number]))).toEqual([]);
});

/** A control in quarantine that a later one has overtaken. */
async function quarantineOvertaken(): Promise<{ id: string; number: bigint }> {
  const intent = await quarantineMined();
  // Its transaction lost its nonce, and a no-op opened that again.
  await query(db, 'update intents set decided_by = null');
  await query(db, 'update intents set is_control = true, transaction_hash = null');
  await query(
    db,
    `insert into intents (id, account_id, environment, kind, contract, target, calldata, operator, epoch, is_control, status, transaction_hash)
     select gen_random_uuid(), account_id, environment, kind, contract, target, calldata, operator, epoch, true, 'confirmed', :hash from intents`,
    { hash: toBytes(HASH) },
  );
  return intent;
}

test('a control that was overtaken goes back to the queue when it is retried, and is overtaken there', async () => {
  const intent = await quarantineOvertaken();
  await retryIntent(retryParts(), intent);
  expect(await query(db, 'select status from intents order by number limit 1')).toEqual([
    { status: 'queued' },
  ]);
  expect(await findOvertakenBy(db, [intent.number])).toEqual(new Map([[intent.number, 'sent']]));
});

test('verdicts that a deadlock ended are written once more', async () => {
  let tries = 0;
  const written = withQuarantine({ db, log: createLogger('silent') }, async () => {
    tries += 1;
    if (tries === 1) throw createDeadlock();
    return 'written';
  });
  expect(await written).toBe('written');
});

test('what is in no transaction is not cancelled after a retry: its refused verdict may have been a success', async () => {
  await insertAccount(db);
  const intent = await queueIntent(db, CONTRACT);
  await db.transaction((tx) => quarantineIntent(tx, intent.number, 'no'));
  await retryIntent(retryParts(), intent);
  expect(await query(db, 'select status from intents')).toEqual([{ status: 'queued' }]);
  expect(await db.transaction((tx) => cancelQueued(tx, intent.number))).toBeUndefined();
});
