import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { openChain } from '../setup/chain.ts';
import { waitForStatus } from '../../lab/stage/intents.ts';
import { withoutBlocks } from '../setup/mining.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';
import { deployToken, requestMint } from '../../lab/stage/tokens.ts';
import { createCli } from '../../lab/stage/cli.ts';

const [{ address: signer }] = embeddedAccounts;

let mintmark: TestService;
let chain: ReturnType<typeof openChain>;
let account: TestAccount;
let token: string;

beforeEach(async () => {
  mintmark = await startTestService({ MAX_IN_FLIGHT: '1' });
  chain = openChain(mintmark);
  account = await mintmark.register();
  token = await deployToken(account);
});

afterEach(async () => {
  chain.close();
  await mintmark.stop();
});

interface Shown {
  status: string;
  cause: string;
  action: string;
}

/**
 * Asks until the cause is as expected, since it takes the service a moment to notice; answers the last that it said.
 */
async function showUntil(id: string, cause: RegExp): Promise<Shown> {
  const cli = createCli(mintmark.environment);
  let shown = await cli.ask<Shown>('intents', 'show', id);
  for (let look = 0; look < 300 && !cause.test(shown.cause); look += 1) {
    await sleep(100);
    shown = await cli.ask<Shown>('intents', 'show', id);
  }
  return shown;
}

test('an intent behind MAX_IN_FLIGHT is explained', async () => {
  const other = await deployToken(account);
  await withoutBlocks(chain, async (mine) => {
    const nonce = await chain.provider.getTransactionCount(signer);
    const first = await requestMint(account, token, { prefer: 'respond-async' });
    await waitForStatus(account, first.intentId!, 'submitted');
    const second = await requestMint(account, other, { prefer: 'respond-async' });
    expect(await showUntil(second.intentId!, /MAX_IN_FLIGHT/)).toMatchObject({
      status: 'queued',
      cause: `Its signer has 1 under way, as many as MAX_IN_FLIGHT lets it; the first has nonce ${nonce}.`,
      action: 'Wait: every three blocks the service bids more for the first one.',
    });
    await mine();
    await waitForStatus(account, first.intentId!, 'confirmed');
    await waitForStatus(account, second.intentId!, 'submitted', 'confirmed');
  });
});

test('an intent of a signer without funds is explained, and is sent once the signer has ether', async () => {
  const balance = `0x${(await chain.provider.getBalance(signer)).toString(16)}`;
  await chain.provider.send('hardhat_setBalance', [signer, '0x1']);
  const { intentId } = await requestMint(account, token, { prefer: 'respond-async' });
  expect(await showUntil(intentId!, /pay for gas/)).toMatchObject({
    cause: `Its signer ${signer.toLowerCase()} cannot pay for gas.`,
    action: `Send ether to ${signer.toLowerCase()}; the service goes on by itself.`,
  });
  await chain.provider.send('hardhat_setBalance', [signer, balance]);
  await waitForStatus(account, intentId!, 'confirmed');
});

test('an intent of a retiring lane is explained', async () => {
  const { db } = mintmark.service.context;
  await query(db, 'update lanes set retiring = true, is_sender = false');
  const { intentId } = await requestMint(account, token, { prefer: 'respond-async' });
  expect(await showUntil(intentId!, /replaced/)).toMatchObject({
    status: 'queued',
    cause: `Its signer ${signer.toLowerCase()} is being replaced and sends nothing more.`,
    action: 'Run "signers rotate" again until it says that nothing remains.',
  });
  await query(db, 'update lanes set retiring = false');
  await waitForStatus(account, intentId!, 'confirmed');
});
