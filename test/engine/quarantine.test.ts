import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import type { Db } from '../../src/db/client.ts';
import { createCli } from '../../lab/stage/cli.ts';
import { refuseVerdicts } from '../../lab/faults/refused-verdicts.ts';
import { openChain } from '../setup/chain.ts';
import { waitForStatus } from '../../lab/stage/intents.ts';
import { makeRevert, withoutBlocks } from '../setup/mining.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';
import { deployToken, requestMint } from '../../lab/stage/tokens.ts';
import { SHORT_TIMINGS } from './timings.ts';

let mintmark: TestService;
let chain: ReturnType<typeof openChain>;
let account: TestAccount;
let token: string;
let db: Db;

beforeAll(async () => {
  mintmark = await startTestService({}, { timings: SHORT_TIMINGS });
  ({ db } = mintmark.service.context);
  chain = openChain(mintmark);
  account = await mintmark.register();
  token = await deployToken(account);
  await refuseVerdicts(db);
});

afterEach(() => query(db, 'delete from refused'));

afterAll(async () => {
  chain?.close();
  await mintmark?.stop();
});

interface Quarantined {
  id: string;
  error: string;
}

const cli = () => createCli(mintmark.environment);
const refuse = (id: string) => query(db, 'insert into refused values (:id)', { id });

async function startMint(address = token): Promise<string> {
  const { intentId } = await requestMint(account, address, { prefer: 'respond-async' });
  return intentId!;
}

async function untilQuarantined(id: string): Promise<Quarantined> {
  for (let look = 0; look < 6_000; look += 1) {
    const found = (await cli().ask<Quarantined[]>('intents', 'quarantined')).find((one) => one.id === id);
    if (found) return found;
    await sleep(50);
  }
  throw new Error('the intent is not quarantined');
}

const shown = async (id: string) =>
  (await account.api.GET('/intents/{id}', { params: { path: { id } } })).data!;

const left = async () => (await account.api.GET('/stats')).data!.mintsRemaining;

describe('a verdict that the database refuses', () => {
  test('on a success: its intent is quarantined alone, and confirmed after a retry', async () => {
    const ids: string[] = [];
    await withoutBlocks(chain, async (mine) => {
      for (let mint = 0; mint < 5; mint += 1) ids.push(await startMint());
      for (const id of ids) await waitForStatus(account, id, 'submitted');
      await refuse(ids[2]!);
      await mine();
    });
    const [victim, ...others] = [ids[2]!, ...ids.filter((id) => id !== ids[2])];
    for (const id of others) await waitForStatus(account, id, 'confirmed');
    expect((await untilQuarantined(victim)).error).toContain('this verdict cannot be stored');
    const { status, waiting } = await shown(victim);
    expect(status).toBe('submitted');
    expect(waiting).toMatchObject({
      cause: 'The database refused to store what became of it.',
      action: expect.stringContaining(`intents retry ${victim}`),
    });
    expect(JSON.stringify(waiting)).not.toContain('cannot be stored');

    // Neither its contract nor anything else waits for it.
    expect((await requestMint(account, token)).status).toBe(200);
    expect(await cli().refuse('intents', 'retry', victim)).toContain('this verdict cannot be stored');
    await query(db, 'delete from refused');
    expect(await cli().ask('intents', 'retry', victim)).toMatchObject({ id: victim, status: 'confirmed' });
    expect((await shown(victim)).status).toBe('confirmed');
    expect(await cli().ask('intents', 'quarantined')).toEqual([]);
  });

  test('on a failure that a simulation found: the same, and its quota is given back after the retry', async () => {
    const broken = await deployToken(account);
    const code = await chain.provider.getCode(broken);
    const before = await left();
    await query(db, `update lanes set retiring = true, is_sender = false`);
    const victim = await startMint(broken);
    await refuse(victim);
    await makeRevert(chain, broken, 'broken');
    await query(db, `update lanes set retiring = false`);
    await untilQuarantined(victim);
    expect((await requestMint(account, token)).status).toBe(200);
    expect(await left()).toBe(before - 2);
    await query(db, 'delete from refused');
    await cli().say('intents', 'retry', victim);
    expect((await waitForStatus(account, victim, 'failed')).error!.message).toContain('broken');
    expect(await left()).toBe(before - 1);
    await chain.provider.send('hardhat_setCode', [broken, code]);
  });

  test('on a failure in a block: the same', async () => {
    const broken = await deployToken(account);
    let victim = '';
    await withoutBlocks(chain, async (mine) => {
      victim = await startMint(broken);
      await waitForStatus(account, victim, 'submitted');
      await refuse(victim);
      await makeRevert(chain, broken, 'broken');
      await mine();
    });
    await untilQuarantined(victim);
    await query(db, 'delete from refused');
    expect(await cli().ask('intents', 'retry', victim)).toMatchObject({ status: 'failed' });
  });
});

test('an intent that is in no quarantine cannot be retried', async () => {
  const { intentId } = await requestMint(account, token);
  expect(await cli().refuse('intents', 'retry', intentId!)).toBe(
    'This intent is in no quarantine; "intents show" explains it',
  );
});
