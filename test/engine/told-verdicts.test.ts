import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { Interface } from 'ethers';
import { managedErc721Abi } from '../../generated/contracts.ts';
import { query } from '../../src/db/client.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { startStand } from '../setup/stand.ts';
import type { Stand } from '../setup/stand.ts';
import { createKey } from '../../lab/stage/collections.ts';
import { waitForStatus } from '../../lab/stage/intents.ts';
import { createAsk } from '../../lab/stage/request.ts';
import type { TestAccount } from '../../lab/stage/service.ts';
import { RECIPIENT, deployToken, requestMint } from '../../lab/stage/tokens.ts';
import { SHORT_TIMINGS } from './timings.ts';

/** Of the token: may mint beside the service. */
const OWNER = embeddedAccounts[5].address;
const MINT = new Interface(managedErc721Abi).encodeFunctionData('mint', [RECIPIENT]) as Hex;

let folder: string;
let stand: Stand;
let account: TestAccount;
let token: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mintmark-told-'));
});
afterAll(() => rm(folder, { recursive: true }));

beforeEach(async () => {
  const profile = path.join(folder, 'profile.json');
  // As on public chains, the service believes another fork once that is longer: it reads each of these reorgs in one
  // step.
  await writeFile(profile, JSON.stringify({ base: 'anvil', forkChoiceMs: 60_000, minesOnDemand: false }));
  const variables = { CONFIRMATIONS: '6', CHAIN_PROFILE: profile, WEBHOOK_ALLOW_PRIVATE: 'true' };
  stand = await startStand({}, variables, { timings: SHORT_TIMINGS });
  account = await stand.mintmark.register();
  await account.api.PATCH('/me', { body: { walletAddress: OWNER } });
  token = await deployToken(account, 'ERC721');
  await stand.anvil.call('anvil_mine', ['0x8']);
  await stand.waitForRow(`select 1 from transactions having bool_and(status = 'final')`);
  const { key } = await createKey(stand.mintmark, account);
  const hook = { url: 'http://127.0.0.1:1909/hook' };
  const { status } = await createAsk(stand.mintmark.url)({ token: key }, 'POST', '/v1/webhooks', hook);
  expect(status).toBe(201);
});
afterEach(() => stand.stop());

interface Message {
  event: string;
  sequence: number;
}

/** Returns the intent of a confirmed mint in the newest block. */
async function mint(): Promise<string> {
  const { intentId } = await requestMint(account, token, { amount: null });
  await waitForStatus(account, intentId!, 'confirmed');
  return intentId!;
}

/**
 * Replaces the newest block by one with somebody else's transaction, and another one with what the service had there.
 */
async function replaceBlock(first: 'transfer' | 'mint'): Promise<void> {
  const { anvil } = stand;
  const block = await anvil.call<{ transactions: Hex[] }>('eth_getBlockByNumber', ['latest', false]);
  const own = await Promise.all(
    block.transactions.map((hash) => anvil.call<Hex>('eth_getRawTransactionByHash', [hash])),
  );
  const transaction = { from: OWNER, gas: '0xf4240' };
  const others =
    first === 'mint'
      ? { ...transaction, to: token, data: MINT }
      : { ...transaction, to: RECIPIENT, value: '0x1' };
  await anvil.call('evm_mine');
  await anvil.call('anvil_reorg', [2, [[others, 0], ...own.map((raw) => [raw, 1])]]);
}

function readMessages(intent: string): Promise<Message[]> {
  return query<Message>(
    stand.mintmark.service.context.db,
    `select event, (payload::json ->> 'sequence')::int as sequence from webhook_deliveries
      where intent_id = '${intent}' order by number`,
  );
}

async function untilFinal(intent: string): Promise<void> {
  await stand.anvil.call('anvil_mine', ['0x8']);
  await stand.waitForRow(`select 1 from intents where id = '${intent}' and final_at is not null`);
}

async function readResult(intent: string): Promise<bigint> {
  const [row] = await query<{ result: Hex }>(
    stand.mintmark.service.context.db,
    `select result from intents where id = '${intent}'`,
  );
  return BigInt(row!.result);
}

/** Makes the reorg while the service reads the chain, or while it does not run. */
async function reorganise(isRunning: boolean, first: 'transfer' | 'mint'): Promise<void> {
  if (!isRunning) await stand.mintmark.service.stop();
  await replaceBlock(first);
  if (!isRunning) await stand.mintmark.restart();
}

const WHEN = [
  ['while the service reads the chain', true],
  ['while the service does not run', false],
] as const;

test.each(WHEN)(
  'a reorg %s that confirms again with the same result is not told',
  async (_name, isRunning) => {
    const intent = await mint();
    await reorganise(isRunning, 'transfer');
    await untilFinal(intent);
    expect(await readMessages(intent)).toEqual([{ event: 'intent.confirmed', sequence: 1 }]);
  },
);

test.each(WHEN)('a reorg %s that changes a token id is told in rising sequence', async (_name, isRunning) => {
  const intent = await mint();
  expect(await readResult(intent)).toBe(1n);
  await reorganise(isRunning, 'mint');
  await untilFinal(intent);
  expect(await readResult(intent)).toBe(2n);
  expect(await readMessages(intent)).toEqual([
    { event: 'intent.confirmed', sequence: 1 },
    { event: 'intent.retracted', sequence: 2 },
    { event: 'intent.confirmed', sequence: 3 },
  ]);
});
