import { beforeEach, describe, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { explainQueued, explainSubmitted } from '../../src/engine/explain/causes.ts';
import { tieToChain } from '../../src/engine/store/operators.ts';
import { beginEpochs, clearServer, suspectServer } from '../../src/engine/store/epochs.ts';
import { insertTransaction } from '../../src/engine/store/insert-transaction.ts';
import { inspectIntent } from '../../src/engine/store/inspect.ts';
import type { InspectedTransaction } from '../../src/engine/store/inspect.ts';
import { readSenderLook } from '../../src/engine/store/sender.ts';
import { toBytes } from '../../src/lib/hex.ts';
import { insertAccount } from '../../lab/stage/accounts.ts';
import { insertLane } from '../setup/lanes.ts';
import { queueIntent } from '../setup/queue.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';
import { createAttempt, createDraft } from '../setup/transactions.ts';

const CONTRACT = `0x${'c0'.repeat(20)}` as const;
const SIGNER = `0x${'01'.repeat(20)}` as const;
const SENDER = `0x${'02'.repeat(20)}` as const;
const BLOCK = `0x${'aa'.repeat(32)}` as const;

const { db } = useSuiteDatabase(2);

beforeEach(async () => {
  await db.raw('truncate accounts, chain, operators, intents, lanes, transactions cascade');
  await tieToChain(db, { chainId: 1n, genesisHash: `0x${'0b'.repeat(32)}`, operator: CONTRACT });
  await insertAccount(db);
});

/** Why an intent is queued that was put there so many seconds ago. */
async function explain(seconds: number) {
  return explainAfter((await queueIntent(db, CONTRACT)).id, seconds);
}

async function explainAfter(id: string, seconds: number) {
  await query(db, "update intents set updated_at = now() - :seconds * interval '1 second'", { seconds });
  return explainQueued(db, (await inspectIntent(db, id))!, { signer: SENDER, open: 0 }, null, 16);
}

test('what was queued a moment ago goes with the next transaction', async () => {
  expect(await explain(5)).toMatchObject({
    cause: 'Nothing holds it back: it goes with the next transaction.',
    action: 'Wait a second and look again.',
  });
});

test('of what is queued for longer, the lane may know a cause that is stored nowhere', async () => {
  expect(await explain(15)).toMatchObject({
    cause: expect.stringMatching(/^Nothing that is stored holds it back: .*gas costs more than may be bid/),
    action: expect.stringContaining('"gas costs more than the profile of the chain lets us bid"'),
  });
});

test('an intent waits for an epoch that is about to begin, and for no other', async () => {
  const former = `0x${'0a'.repeat(20)}` as const;
  await query(db, 'insert into operators (address, epoch, is_current) values (:former, 1, false)', {
    former: toBytes(former),
  });
  await query(db, 'update operators set epoch = 5 where is_current');
  const { id } = await queueIntent(db, `0x${'c1'.repeat(20)}`, { operator: former });
  expect((await explainAfter(id, 5)).cause).toMatch(/^Nothing holds it back/);
  await beginEpochs(db);
  await query(db, 'update operators set raised_in = 9 where is_current');
  expect(await explainAfter(id, 5)).toMatchObject({
    cause: expect.stringContaining(`Epoch 2 of the Operator ${former} is about to begin`),
    action: expect.stringContaining('until its raise is final'),
  });
});

test('while the database may lack what another process has sent, that is the cause', async () => {
  await suspectServer(db);
  expect((await explain(5)).cause).toMatch(/^The database may lack what another process has sent/);
  await clearServer(db, (await readSenderLook(db, { signer: SENDER, term: 1n }, [])).suspected!);
  expect((await explain(5)).cause).toMatch(/^It waits behind intent/);
});

test('what another signer has under way is waited for until it is final', async () => {
  const sent = await queueIntent(db, CONTRACT);
  const { id } = await queueIntent(db, CONTRACT);
  const key = await insertLane(db, SIGNER, { nextNonce: 5n });
  const attempt = createAttempt(BLOCK);
  await insertTransaction(db, key, createDraft(CONTRACT, [sent.number], { nonce: 5n, attempt }));
  await query(
    db,
    `with mined as (update transactions set status = 'mined', mined_hash = :block, block_number = 1, block_hash = :block)
     update intents set status = 'confirmed', phase = 'confirmed' where number = :number`,
    { block: toBytes(BLOCK), number: String(sent.number) },
  );
  expect(await explainAfter(id, 15)).toMatchObject({
    cause: expect.stringContaining(`It waits until intent ${sent.id} on the same contract is final`),
    action: `Look at that one: intents show ${sent.id}`,
  });
  await query(db, `update transactions set status = 'final'`);
  expect((await explainAfter(id, 15)).cause).toMatch(/^Nothing that is stored holds it back/);
});

test('a mint that a later pause has passed waits until that is mined', async () => {
  const { id } = await queueIntent(db, CONTRACT);
  const pause = await queueIntent(db, CONTRACT, { kind: 'pause', isControl: true });
  expect((await explainAfter(id, 5)).cause).toMatch(/^Nothing holds it back/);
  const key = await insertLane(db, SIGNER, { nextNonce: 5n });
  const attempt = createAttempt(BLOCK);
  await insertTransaction(db, key, createDraft(CONTRACT, [pause.number], { nonce: 5n, attempt }));
  expect(await explainAfter(id, 15)).toMatchObject({
    cause: expect.stringContaining(`It waits until intent ${pause.id} on the same contract is mined`),
    action: `Look at that one: intents show ${pause.id}`,
  });
});

describe('what was sent', () => {
  const sent: InspectedTransaction = {
    signer: SIGNER,
    nonce: 5n,
    status: 'open',
    createdAt: new Date(0),
    blockNumber: null,
    hashes: [BLOCK, BLOCK],
  };
  const later: InspectedTransaction = { ...sent, nonce: 6n, hashes: [BLOCK] };

  test('is told by its own bids', () => {
    const { cause } = explainSubmitted(sent, later, null);
    expect(cause).toBe('Its transaction with nonce 5 was sent with 2 bids and is not mined.');
  });

  test('and is in a block waits for nothing but that this is final', () => {
    expect(explainSubmitted({ ...sent, status: 'mined', blockNumber: 7n }, later, null)).toMatchObject({
      cause: 'The chain has used its nonce 5 in block 7, which is not final yet.',
      action: expect.stringMatching(/^Wait until that block is final/),
    });
  });
});

describe('what was in a transaction whose nonce another program has used, as it seems,', () => {
  let id: string;

  beforeEach(async () => {
    const key = await insertLane(db, SIGNER, { nextNonce: 5n });
    const intent = await queueIntent(db, CONTRACT);
    ({ id } = intent);
    const attempt = createAttempt(BLOCK);
    await insertTransaction(db, key, createDraft(CONTRACT, [intent.number], { nonce: 5n, attempt }));
    await query(
      db,
      `with lost as (update transactions set status = 'displaced', block_number = 1, block_hash = :block)
       update intents set status = 'queued', decided_by = null`,
      { block: toBytes(BLOCK) },
    );
  });

  test('waits for its nonce when it reverts, and that says which command ends the doubt', async () => {
    expect(await explainAfter(id, 15)).toMatchObject({
      cause: expect.stringContaining('another program seems to have used its nonce'),
      action: expect.stringMatching(/it fails once the final block has used that nonce\. .*run "recover"/),
    });
  });

  test('waits for nothing of that in an epoch that was raised for good since', async () => {
    await beginEpochs(db);
    await query(db, 'update operators set raised_in = 9');
    await query(db, 'update intents set epoch = 2');
    expect((await explainAfter(id, 15)).cause).toMatch(/^Nothing that is stored holds it back/);
  });

  test('and may be done, is told of the search, and of the command that ends it', async () => {
    await query(db, 'update intents set in_doubt = true');
    expect(await explainAfter(id, 0)).toMatchObject({
      cause: expect.stringMatching(/^It may be done already/),
      action: expect.stringContaining(`"intents resolve ${id}"`),
    });
  });
});
