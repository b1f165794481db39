import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Intent, SentAttempt } from '../../src/engine/index.ts';
import { presentTimeline } from '../../src/features/intents/timeline.ts';
import { createKey } from '../../lab/stage/collections.ts';
import { openChain } from '../setup/chain.ts';
import { waitForStatus } from '../../lab/stage/intents.ts';
import { withoutBlocks } from '../setup/mining.ts';
import { createAsk } from '../../lab/stage/request.ts';
import type { Ask } from '../../lab/stage/request.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';
import { RECIPIENT, deployToken, requestMint } from '../../lab/stage/tokens.ts';

let mintmark: TestService;
let ask: Ask;
let chain: ReturnType<typeof openChain>;
let alice: TestAccount;
let coin: string;

beforeAll(async () => {
  // More than `withoutBlocks` makes: only blocks that a test asks for take a mint from confirmed to final.
  mintmark = await startTestService({ CONFIRMATIONS: '8', MAX_IN_FLIGHT: '1' });
  ask = createAsk(mintmark.url);
  chain = openChain(mintmark);
  alice = await mintmark.register();
  coin = await deployToken(alice);
});

afterAll(async () => {
  chain?.close();
  await mintmark?.stop();
});

const hashOf = (digit: string): `0x${string}` => `0x${digit.repeat(64)}`;
const IN_BLOCK = { block: { number: 3n, hash: hashOf('c') } };

interface Entry {
  event: string;
  at: string | null;
  transaction: { hash: string; explorerUrl: string } | null;
  nonce: string | null;
  maxFeePerGas: string | null;
  maxPriorityFeePerGas: string | null;
  blockNumber: string | null;
}

async function timeline(id: string, caller: { token: string } = alice): Promise<Entry[]> {
  const { status, body } = await ask(caller, 'GET', `/intents/${id}/timeline`);
  expect(status).toBe(200);
  return (body as { data: Entry[] }).data;
}

const events = (entries: readonly Entry[]): string[] => entries.map(({ event }) => event);

/** Polls until the newest entry is this event. */
async function waitForEvent(id: string, event: string): Promise<Entry[]> {
  let seen: Entry[] = [];
  for (let look = 0; look < 600; look += 1) {
    seen = await timeline(id);
    if (seen.at(-1)?.event === event) return seen;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`the timeline is ${JSON.stringify(seen)} and does not end with ${event}`);
}

describe('GET /intents/{id}/timeline', () => {
  test('follows a mint from acceptance to where no reorg takes it back', async () => {
    let id = '';
    await withoutBlocks(chain, async (mine) => {
      id = (await requestMint(alice, coin, { prefer: 'respond-async' })).intentId!;
      expect(events(await waitForEvent(id, 'sent'))).toEqual(['accepted', 'sent']);
      await mine();
      await waitForEvent(id, 'confirmed');
    });
    const intent = await waitForStatus(alice, id, 'confirmed');
    const confirmed = await timeline(id);
    expect(events(confirmed)).toEqual(['accepted', 'sent', 'mined', 'confirmed']);
    await chain.provider.send('anvil_mine', ['0x8']);
    const final = await waitForEvent(id, 'final');
    expect(events(final)).toEqual(['accepted', 'sent', 'mined', 'final']);
    const [accepted, sent, mined, last] = final;
    expect(accepted).toMatchObject({ at: intent.createdAt, transaction: null, nonce: null });
    expect(sent).toMatchObject({ transaction: intent.transaction, blockNumber: null });
    expect(BigInt(sent!.maxFeePerGas!)).toBeGreaterThan(0n);
    const receipt = (await chain.provider.getTransactionReceipt(intent.transaction!.hash))!;
    const block = (await chain.provider.getBlock(receipt.blockNumber))!;
    expect(mined).toEqual({
      event: 'mined',
      at: new Date(block.timestamp * 1_000).toISOString(),
      transaction: intent.transaction,
      nonce: sent!.nonce,
      maxFeePerGas: null,
      maxPriorityFeePerGas: null,
      blockNumber: String(receipt.blockNumber),
    });
    expect(last).toMatchObject({ transaction: intent.transaction });
  });

  test('tells each bid of a transaction that is not mined', async () => {
    await withoutBlocks(chain, async (mine) => {
      const { intentId } = await requestMint(alice, coin, { prefer: 'respond-async' });
      const [, sent] = await waitForEvent(intentId!, 'sent');
      // Blocks without it: the service bids more after some of them.
      const { hash } = sent!.transaction!;
      await chain.provider.send('anvil_dropTransaction', [hash]);
      await chain.provider.send('anvil_mine', ['0x4']);
      const raised = (await waitForEvent(intentId!, 'bid_raised')).at(-1)!;
      expect(raised.nonce).toBe(sent!.nonce);
      expect(BigInt(raised.maxFeePerGas!)).toBeGreaterThan(BigInt(sent!.maxFeePerGas!));
      await mine();
      await waitForEvent(intentId!, 'confirmed');
    });
  });

  test('ends with what was cancelled or failed, and of what sent nothing there is no transaction', async () => {
    let kept = '';
    await withoutBlocks(chain, async () => {
      const first = await requestMint(alice, coin, { prefer: 'respond-async' });
      kept = first.intentId!;
      await waitForEvent(kept, 'sent');
      const second = await requestMint(alice, coin, { prefer: 'respond-async' });
      await ask(alice, 'POST', `/intents/${second.intentId}/cancel`);
      expect(events(await timeline(second.intentId!))).toEqual(['accepted', 'cancelled']);
    });
    const failing = await ask(alice, 'POST', `/tokens/${coin}/mint`, {
      owner: RECIPIENT,
      amount: String(2n ** 208n - 1n),
    });
    expect(failing.status).toBe(502);
    expect((await timeline(failing.intentId!)).at(-1)).toMatchObject({ event: 'failed' });
    // Nothing of the token may be open, or be taken back, for a control to be known as done.
    await chain.provider.send('anvil_mine', ['0x8']);
    await waitForEvent(kept, 'final');
    const idle = await ask(alice, 'POST', `/tokens/${coin}/unpause`);
    expect(idle.status).toBe(200);
    const sandbox = await createKey(mintmark, alice, 'sandbox');
    const made = await ask({ token: sandbox.key }, 'POST', '/v1/collections', { name: 'Try', symbol: 'T' });
    for (const [id, caller] of [
      [idle.intentId!, alice],
      [made.intentId!, { token: sandbox.key }],
    ] as const) {
      const entries = await timeline(id, caller);
      expect(events(entries)).toEqual(['accepted', 'confirmed', 'final']);
      expect(entries.every(({ transaction }) => transaction === null)).toBe(true);
    }
    expect((await ask(alice, 'GET', `/intents/${made.intentId}/timeline`)).status).toBe(404);
  });
});

/** An intent that was sent twice: the nonce of its first transaction was used by something else. */
test('a transaction whose nonce was lost is followed by the return into the queue', async () => {
  const at = new Date('2026-09-14T08:31:00.000Z');
  const bid = { maxFeePerGas: 2n, maxPriorityFeePerGas: 1n, sentAt: at };
  const [lost, mined] = [hashOf('a'), hashOf('b')];
  const attempts: SentAttempt[] = [
    {
      ...bid,
      hash: lost,
      nonce: 7n,
      transactionId: 1n,
      status: 'displaced',
      decides: false,
      ...IN_BLOCK,
      minedHash: null,
    },
    {
      ...bid,
      hash: mined,
      nonce: 9n,
      transactionId: 2n,
      status: 'mined',
      decides: true,
      ...IN_BLOCK,
      minedHash: mined,
    },
  ];
  const intent: Intent = {
    ...{
      number: 1n,
      id: RECIPIENT,
      accountId: RECIPIENT,
      environment: 'live',
      kind: 'mint',
      contract: '0x00',
    },
    ...{
      arguments: {},
      status: 'confirmed',
      result: '0x',
      error: null,
      burntGas: 0,
      token: null,
      firstTokenId: null,
      callHead: null,
      sequence: 0,
      held: null,
      heldGas: null,
      chargedGas: null,
      createdAt: at,
      updatedAt: at,
    },
    transactionHash: mined,
  };
  const shown = { explorerUrl: (hash: string) => `/tx/${hash}`, blockTime: async () => null };
  const entries = await presentTimeline(intent, { finalAt: null, attempts }, shown);
  expect(entries.map(({ event, nonce }) => `${event} ${nonce}`)).toEqual([
    'accepted null',
    'sent 7',
    'requeued 7',
    'sent 9',
    'mined 9',
    'confirmed null',
  ]);
  // No endpoint knows the block at the moment.
  expect(entries[4]!.at).toBeNull();
});
