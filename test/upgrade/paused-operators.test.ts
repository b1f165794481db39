import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { administer } from '../../src/admin/operator.ts';
import { profileOf } from '../../src/chain/profile.ts';
import { createKeySigner } from '../../src/chain/signing/signer.ts';
import {
  START_EXECUTION,
  STOP_EXECUTION,
  encodeGrant,
  encodeRevocation,
} from '../../src/chain/system/roles.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { query } from '../../src/db/client.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { createCli } from '../../lab/stage/cli.ts';
import { SHORT_TIMINGS } from '../engine/timings.ts';
import { waitForStatus } from '../../lab/stage/intents.ts';
import type { TestService } from '../../lab/stage/service.ts';
import { deployToken, requestMint } from '../../lab/stage/tokens.ts';
import { goOn, signIn } from './go-on.ts';

/* Two editions of the Operator side by side, of which one executes nothing: only its own calls wait. */

const SIGNER = embeddedAccounts[0].address.toLowerCase() as Hex;
const PAUSES = {
  stopped: { begin: STOP_EXECUTION, end: START_EXECUTION, action: 'execution start' },
  'no-role': { begin: encodeRevocation(SIGNER), end: encodeGrant(SIGNER), action: 'signers grant' },
} as const;

/** Sends a call to one Operator, as its admin: the first account is that of both. */
async function asAdmin({ service }: TestService, operator: Hex, data: Hex): Promise<void> {
  const { db, rpc, chainId, system } = service.context;
  const chain = {
    ...{ rpc, chainId, profile: profileOf(chainId) },
    ...{ operator: system.operator, formerOperators: [] },
  };
  const signers = async () => [createKeySigner(embeddedAccounts[0].privateKey)];
  const administrator = { db, log: createLogger('silent'), signers };
  expect(await administer(administrator, chain, { operator, data })).toMatchObject({ sent: true });
}

async function untilReady({ url }: TestService, isReady: boolean): Promise<string> {
  for (let look = 0; look < 3_000; look += 1) {
    const response = await fetch(`${url}/ready`);
    const text = await response.text();
    if (response.ok === isReady) return text;
    await sleep(100);
  }
  throw new Error('/ready stays as it is');
}

/** Waits for the series of a pause, which there is while a lane sends nothing of an Operator. */
async function untilPaused({ url }: TestService, operator: string, reason: string): Promise<void> {
  const series = new RegExp(
    `^mintmark_lane_paused\\{signer="${SIGNER}",operator="${operator}",reason="${reason}"\\} 1$`,
    'im',
  );
  for (let look = 0; look < 3_000; look += 1) {
    if (series.test(await (await fetch(`${url}/metrics`)).text())) return;
    await sleep(100);
  }
  throw new Error('no metric tells of the pause');
}

test.each([
  ['former', 'stopped'],
  ['current', 'stopped'],
  ['former', 'no-role'],
  ['current', 'no-role'],
] as const)('of the %s Operator, %s, calls wait, and those of the other one go on', async (which, reason) => {
  await using stand = await goOn('first-edition', SHORT_TIMINGS);
  const { mintmark, story } = stand;
  const { system, db } = mintmark.service.context;
  const account = await signIn(mintmark, story);
  for (const intent of story.open) await waitForStatus(account, intent, 'confirmed');
  const fresh = await deployToken(account);
  const isFormer = which === 'former';
  const paused = isFormer ? (story.operator as Hex) : system.operator;
  const [waits, goes] = isFormer ? [story.coin, fresh] : [fresh, story.coin];
  const { begin, end, action } = PAUSES[reason];

  await asAdmin(mintmark, paused, begin);
  const { intentId } = await requestMint(account, waits, { prefer: 'respond-async' });
  await untilPaused(mintmark, paused, reason);
  expect((await requestMint(account, goes)).status).toBe(200);
  if (isFormer) expect((await fetch(`${mintmark.url}/ready`)).status).toBe(200);
  else expect(await untilReady(mintmark, false)).toContain(paused);
  const { data: shown } = await account.api.GET('/intents/{id}', { params: { path: { id: intentId! } } });
  expect(shown).toMatchObject({ status: 'queued' });
  expect(shown!.waiting).toMatchObject({
    cause: expect.stringContaining(paused),
    action: expect.stringContaining(action),
  });
  const lanes = await createCli(mintmark.environment).ask<
    { cause: string | null; pausedOperators: object[] }[]
  >('lanes');
  expect(lanes).toMatchObject([
    {
      cause: null,
      pausedOperators: [{ operator: expect.stringMatching(new RegExp(paused, 'i')), reason }],
    },
  ]);
  expect((await requestMint(account, goes)).status).toBe(200);

  await asAdmin(mintmark, paused, end);
  await waitForStatus(account, intentId!, 'confirmed');
  await untilReady(mintmark, true);
  expect(await query(db, 'select 1 from paused_operators')).toEqual([]);
});
