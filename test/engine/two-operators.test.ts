import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { administer } from '../../src/admin/operator.ts';
import { profileOf } from '../../src/chain/profile.ts';
import { createKeySigner } from '../../src/chain/signing/signer.ts';
import {
  START_EXECUTION,
  STOP_EXECUTION,
  encodeAdminExecute,
  grantOf,
  revocationOf,
} from '../../src/chain/system/roles.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { describeSystem } from '../../src/chain/system/system-contracts.ts';
import { query } from '../../src/db/client.ts';
import { toBytes } from '../../src/lib/hex.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { waitForQuiet } from '../../lab/faults/books.ts';
import { judge } from '../../lab/faults/judge.ts';
import { flawsOf } from '../../lab/faults/outcome.ts';
import { startAnvil } from '../../lab/stage/anvil.ts';
import { createCli } from '../../lab/stage/cli.ts';
import { openChain } from '../setup/chain.ts';
import { SHORT_TIMINGS } from './timings.ts';
import { waitForStatus } from '../../lab/stage/intents.ts';
import { replaceOperator } from '../../lab/stage/replace-operator.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestService } from '../../lab/stage/service.ts';
import { deployToken, requestMint } from '../../lab/stage/tokens.ts';

/* Two Operators side by side: each contract is called through its own, also while the other one executes nothing. */

const QUIET_MS = 60_000;

const SIGNER = embeddedAccounts[0].address.toLowerCase() as Hex;
const OTHER_DEPLOYMENT: Hex = `0x${'2'.repeat(64)}`;
const PAUSES = {
  stopped: { begin: () => STOP_EXECUTION, end: () => START_EXECUTION, action: 'execution start' },
  'no-role': {
    begin: (operator: Hex) => encodeAdminExecute(revocationOf(operator, SIGNER)),
    end: (operator: Hex) => encodeAdminExecute(grantOf(operator, SIGNER)),
    action: 'signers grant',
  },
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

/**
 * A token of a former Operator, and one of the Operator that the service has since: the same code with another salt.
 */
async function startWithTwo() {
  await using opening = new AsyncDisposableStack();
  const anvil = opening.use(await startAnvil());
  const mintmark = opening.use(await startTestService({}, { rpcUrl: anvil.url, timings: SHORT_TIMINGS }));
  const account = await mintmark.register();
  const old = await deployToken(account);
  const { db, system } = mintmark.service.context;
  await query(db, 'update deployment set id = :id', { id: toBytes(OTHER_DEPLOYMENT) });
  const [admin, deploymentId] = [embeddedAccounts[0].address, OTHER_DEPLOYMENT];
  const other = describeSystem({ admin, adminDelay: 0, chainId: 31_337n, deploymentId });
  await replaceOperator(db, other.operator);
  await mintmark.restart();
  const fresh = await deployToken(account);
  const current = mintmark.service.context.system.operator;
  expect(current).not.toBe(system.operator);
  const opened = opening.move();
  return {
    ...{ anvil, mintmark, account },
    former: { operator: system.operator, token: old },
    current: { operator: current, token: fresh },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

test('each token is called through its own Operator', async () => {
  await using stand = await startWithTwo();
  const { mintmark, anvil, account, former, current } = stand;
  const { db } = mintmark.service.context;
  const both = [former, current];
  using chain = openChain(mintmark);
  const operatorIn = async ({ token }: { token: string }): Promise<string> =>
    String(await chain.erc20(token)['operator']!()).toLowerCase();
  expect(await Promise.all(both.map(operatorIn))).toEqual(both.map(({ operator }) => operator));
  // Several in one block, so that some share a transaction.
  await anvil.call('evm_setAutomine', [false]);
  const mints = both.flatMap(({ token }) =>
    Array.from({ length: 5 }, () => requestMint(account, token, { amount: '2', prefer: 'respond-async' })),
  );
  const asked = await Promise.all(mints);
  await anvil.call('evm_setAutomine', [true]);
  await anvil.call('evm_mine');
  const ids = asked.map(({ intentId }) => intentId!);
  for (const id of ids) await waitForStatus(account, id, 'confirmed');
  const through = await query<{ contract: Hex; operator: Hex; sent: Hex }>(
    db,
    `select distinct i.contract, i.operator, t.operator as sent
       from intents i join transaction_intents m on m.intent_number = i.number join transactions t on t.id = m.transaction_id
      where i.contract = any(:contracts::bytea[])`,
    { contracts: both.map(({ token }) => toBytes(token as Hex)) },
  );
  expect(new Map(through.map(({ contract, operator }) => [contract, operator]))).toEqual(
    new Map(both.map(({ token, operator }) => [token.toLowerCase(), operator])),
  );
  expect(through.filter(({ operator, sent }) => operator !== sent)).toEqual([]);
  expect(await waitForQuiet(db, QUIET_MS)).toBe(0);
  const log = { acknowledged: new Set(ids), unknown: 0, refused: [], claims: [] };
  const operators = both.map(({ operator }) => operator);
  expect(flawsOf({ judgement: await judge(db, anvil.url, operators, log), flaws: [] })).toEqual([]);
});

test.each([
  ['former', 'stopped'],
  ['current', 'stopped'],
  ['former', 'no-role'],
  ['current', 'no-role'],
] as const)('of the %s Operator, %s, calls wait, and those of the other one go on', async (which, reason) => {
  await using stand = await startWithTwo();
  const { mintmark, account } = stand;
  const { db } = mintmark.service.context;
  const isFormer = which === 'former';
  const { operator: paused, token: waits } = stand[which];
  const { token: goes } = stand[isFormer ? 'current' : 'former'];
  const { begin, end, action } = PAUSES[reason];

  await asAdmin(mintmark, paused, begin(paused));
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

  await asAdmin(mintmark, paused, end(paused));
  await waitForStatus(account, intentId!, 'confirmed');
  await untilReady(mintmark, true);
  expect(await query(db, 'select 1 from paused_operators')).toEqual([]);
});
