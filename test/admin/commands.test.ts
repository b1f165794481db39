import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { deployTargets } from '../../lab/load/load.ts';
import type { Target } from '../../lab/load/load.ts';
import { startStand } from '../setup/stand.ts';
import type { Stand } from '../setup/stand.ts';
import { waitForStatus } from '../../lab/stage/intents.ts';
import { requestMint } from '../../lab/stage/tokens.ts';
import { SHORT_TIMINGS } from '../engine/timings.ts';
import { createCli } from '../../lab/stage/cli.ts';

const [first, , other] = embeddedAccounts;

interface ShownLane {
  signer: string;
  state: string;
  holder: string | null;
  heldSince: string | null;
  progressedAt: string;
  open: number;
  oldestOpen: string | null;
  firstOpenNonce: number | null;
  nextNonce: number;
  nonceOnChain: number | null;
  action: string | null;
}

let stand: Stand;
let cli: ReturnType<typeof createCli>;
let target: Target;

beforeEach(async () => {
  stand = await startStand(
    { blockTimeSeconds: 0.25 },
    { WAIT_TIMEOUT_MS: '20000' },
    { timings: SHORT_TIMINGS },
  );
  cli = createCli(stand.mintmark.environment);
  target = (await deployTargets([await stand.mintmark.register()]))[0]!;
  await stand.quiet();
});

afterEach(() => stand.stop());

const db = () => stand.mintmark.service.context.db;
const lanes = () => cli.ask<ShownLane[]>('lanes');

/** Lets the node get nothing that is sent; a mint is stored and open then. Returns its intent. */
async function loseMint(): Promise<string> {
  stand.proxy.options.faultFor = (method) => (method === 'eth_sendRawTransaction' ? 'withhold' : null);
  const { intentId } = await requestMint(target.account, target.address, { prefer: 'respond-async' });
  await waitForStatus(target.account, intentId!, 'submitted');
  return intentId!;
}

test('lanes shows who holds each lane, what is open, and the nonces of both sides', async () => {
  await loseMint();
  const [lane] = await lanes();
  expect(lane).toMatchObject({ signer: first.address, state: 'sends', open: 1, action: null });
  expect(lane!.holder).not.toBeNull();
  expect(Date.parse(lane!.heldSince!)).toBeLessThan(Date.now());
  expect(Date.parse(lane!.progressedAt)).toBeLessThan(Date.now());
  expect(lane!.oldestOpen).not.toBeNull();
  expect([lane!.firstOpenNonce, lane!.nextNonce]).toEqual([lane!.nonceOnChain, lane!.nonceOnChain! + 1]);
  expect(await cli.say('lanes')).toContain(first.address);

  await stand.mintmark.service.stop();
  const [unheld] = await lanes();
  expect(unheld).toMatchObject({ state: 'nobody holds it', holder: null });
  expect(unheld!.action).toContain(`signers bury ${first.address.toLowerCase()}`);
  stand.proxy.options.faultFor = () => null;
  await stand.mintmark.restart();
});

describe('lanes heal', () => {
  test('lets the lane be taken anew, and sends what is open again', async () => {
    const id = await loseMint();
    const terms = () => query<{ term: bigint }>(db(), 'select term from lanes');
    const [before] = await terms();
    stand.proxy.options.faultFor = () => null;
    expect(await cli.say('lanes', 'heal', first.address)).toContain('was taken anew');
    const [after] = await terms();
    // It was taken from its holder, and taken again.
    expect(after!.term - before!.term).toBeGreaterThanOrEqual(2n);
    await waitForStatus(target.account, id, 'confirmed');
  });

  test('says that nobody has the key, and what then helps', async () => {
    await stand.mintmark.service.stop();
    expect(await cli.refuse('lanes', 'heal', first.address)).toContain(
      `signers bury ${first.address.toLowerCase()}`,
    );
    await stand.mintmark.restart();
    expect(await cli.refuse('lanes', 'heal', other.address)).toBe('This signer has no lane');
  });
});

test('intents list --stuck and intents find show what waits', async () => {
  const id = await loseMint();
  expect(await cli.ask('intents', 'list', '--stuck')).toEqual([]);
  await query(db(), `update intents set created_at = created_at - interval '2 minutes' where id = :id`, {
    id,
  });
  expect(await cli.ask('intents', 'list', '--stuck')).toMatchObject([
    { id, status: 'submitted', email: target.account.email },
  ]);
  expect(await cli.say('intents', 'list', '--stuck')).toContain('is not mined');
  expect(await cli.refuse('intents', 'find', 'nothing')).toContain('Give the hash of a transaction');

  const [attempt] = await query<{ hash: Hex }>(db(), 'select hash from attempts order by created_at desc');
  for (const trace of [attempt!.hash, target.address, target.account.email])
    expect((await cli.ask<{ id: string }[]>('intents', 'find', trace))[0]).toMatchObject({ id });
  expect(await cli.ask('intents', 'find', 'nobody@example.com')).toEqual([]);
  stand.proxy.options.faultFor = () => null;
});

describe('intents resolve', () => {
  test('confirms what the Operator has done and whose event no endpoint shows', async () => {
    const { intentId } = await requestMint(target.account, target.address);
    const { transaction } = await waitForStatus(target.account, intentId!, 'confirmed');
    await stand.quiet();
    // As in a restored backup that does not know the transaction, at a node that has forgotten the event and its
    // receipt: with either of them the engine confirms it by itself.
    stand.proxy.options.faultFor = (method, [filter]) =>
      method === 'eth_getTransactionReceipt' ||
      (method === 'eth_getLogs' && !('blockHash' in (filter as object)))
        ? 'too-far'
        : null;
    // A later bid for the same nonce, which was never in a block.
    await query(
      db(),
      `insert into attempts (hash, transaction_id, raw, max_fee_per_gas, max_priority_fee_per_gas)
       select sha256(a.hash), a.transaction_id, a.raw, 1, 1 from attempts a where a.hash = decode(substr(:hash, 3), 'hex')`,
      { hash: transaction!.hash },
    );
    await query(
      db(),
      `with held_again as (
         update balances b set held = b.held + i.held_amount, committed = b.committed - i.held_amount
           from intents i where i.id = :id and b.account_id = i.account_id and b.meter = i.held_meter
       )
       update intents set status = 'queued', phase = 'open', final_at = null, result = null, transaction_hash = null, decided_by = null, in_doubt = true where id = :id`,
      { id: intentId },
    );
    expect((await cli.ask<{ action: string }>('intents', 'show', intentId!)).action).toContain(
      `intents resolve ${intentId}`,
    );
    // The final block by which it is done may be gone.
    await query(db(), 'insert into deep_reorgs default values');
    expect(await cli.refuse('intents', 'resolve', intentId!)).toMatch(/The final block may have changed/);
    await query(db(), 'delete from deep_reorgs');
    expect(await cli.ask('intents', 'resolve', intentId!)).toMatchObject({
      status: 'confirmed',
      transactionHash: transaction!.hash,
    });
    await waitForStatus(target.account, intentId!, 'confirmed');
    stand.proxy.options.faultFor = () => null;
  });

  test('refuses what is not done, or goes on by itself', async () => {
    const id = await loseMint();
    expect(await cli.refuse('intents', 'resolve', id)).toMatch(/Only what is queued is resolved/);
    stand.proxy.options.faultFor = () => null;
    await waitForStatus(target.account, id, 'confirmed');
    await query(db(), 'update lanes set retiring = true, is_sender = false, term = term + 1');
    const { intentId } = await requestMint(target.account, target.address, { prefer: 'respond-async' });
    expect(await cli.refuse('intents', 'resolve', intentId!)).toMatch(/has not done this intent/);
    await query(db(), 'update lanes set retiring = false');
  });
});
