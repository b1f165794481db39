import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { readConfig } from '../../src/config.ts';
import { query } from '../../src/db/client.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { startService } from '../../src/start/service.ts';
import type { Service } from '../../src/start/service.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { createCli } from '../../lab/stage/cli.ts';
import { FLAWLESS } from '../../lab/faults/judge.ts';
import { deployTargets, emptyLog, inParallel, mintOnce } from '../../lab/load/load.ts';
import type { Target } from '../../lab/load/load.ts';
import { startStand } from '../setup/stand.ts';
import type { Stand } from '../setup/stand.ts';
import { RECIPIENT } from '../../lab/stage/tokens.ts';
import { makeSender } from '../setup/lanes.ts';
import { SHORT_TIMINGS } from './timings.ts';

// What was never sent may not fail in the time that a busy machine takes for the rest.
const TIMINGS = { ...SHORT_TIMINGS, outOfReachMs: 60_000 };
let stand: Stand;

afterEach(() => stand.stop());

/** The engine whose endpoint is cut holds the lane and reads the chain. */
async function boot(): Promise<Target> {
  stand = await startStand({ blockTimeSeconds: 0.25 }, {}, { timings: TIMINGS });
  const [target] = await deployTargets([await stand.mintmark.register()]);
  return target!;
}

/** A second engine over the same database, whose endpoint answers. */
function startStandby(signerKey: string): Promise<Service> {
  const { anvil, mintmark } = stand;
  const config = readConfig(['--role', 'engine'], {
    ...mintmark.environment,
    OPERATOR_ADMIN: embeddedAccounts[0].address,
    RPC_URL: anvil.url,
    SIGNER_KEY: signerKey,
  });
  return startService(config, createLogger('silent'), { timings: TIMINGS });
}

const CUTS = {
  refuses: () => (stand.proxy.options.faultFor = () => 'drop'),
  'never answers': () => (stand.proxy.options.before = () => new Promise(() => undefined)),
};

/** Mints through the engine that is cut, and waits for the answer. */
async function mint({ account, address }: Target): Promise<number> {
  const { response } = await account.api.POST('/tokens/{address}/mint', {
    params: { path: { address } },
    body: { owner: RECIPIENT, amount: '1' },
  });
  return response.status;
}

test.each(Object.keys(CUTS) as (keyof typeof CUTS)[])(
  'a standby goes on when the endpoint of the engine that sends %s, and nothing fails',
  async (cut) => {
    const target = await boot();
    await using standby = await startStandby(embeddedAccounts[0].privateKey);
    const log = emptyLog();
    const load = inParallel(40, 4, async () => {
      await mintOnce(target, log);
      await sleep(20);
    });
    await sleep(100);
    CUTS[cut]();
    await load;
    expect(await mint(target)).toBe(200);
    const { db } = standby.context;
    expect(await query(db, `select 1 from intents where status = 'failed'`)).toEqual([]);
    expect(await stand.verdict(log)).toMatchObject({ ...FLAWLESS, acknowledged: 40, failed: 0 });
  },
);

test('contracts of an engine with a signer of its own go on when its endpoint is cut', async () => {
  const target = await boot();
  const other = embeddedAccounts[5];
  await createCli(stand.mintmark.environment).say('signers', 'grant', other.address);
  await using standby = await startStandby(other.privateKey);
  const { db } = standby.context;
  await stand.waitForRow(
    `select 1 from lanes where holder <> 'command line' and lease_until > now() having count(*) = 2`,
  );
  // The command that granted the role had borrowed the lane, and another one may have begun to send.
  await makeSender(db, embeddedAccounts[0].address);
  // What is stored first is sent by nobody who has the key of its signer.
  let isSent = false;
  stand.proxy.options.faultFor = (method) => {
    isSent ||= method === 'eth_sendRawTransaction';
    return isSent ? 'drop' : null;
  };
  expect(await Promise.all([mint(target), mint(target)])).toEqual([200, 200]);
  expect(isSent).toBe(true);
  expect(await mint(target)).toBe(200);
  expect(await query(db, `select 1 from intents where status = 'failed'`)).toEqual([]);
});
