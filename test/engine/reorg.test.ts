import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import type { Hex } from '../../src/lib/hex.ts';
import type { AnvilOptions } from '../../lab/stage/anvil.ts';
import { FLAWLESS } from '../../lab/faults/judge.ts';
import { deployTargets, emptyLog, inParallel, mintOnce } from '../../lab/load/load.ts';
import { replaceFrom, turnAround } from '../../lab/faults/reorgs.ts';
import { startStand } from '../setup/stand.ts';
import type { Stand } from '../setup/stand.ts';
import { createCollection, sessionOf } from '../../lab/stage/collections.ts';
import { RECIPIENT } from '../../lab/stage/tokens.ts';
import { SHORT_TIMINGS } from './timings.ts';

let stand: Stand;

/** As `startStand`, stopped after the test. */
async function boot(node: AnvilOptions, variables?: Record<string, string>): Promise<Stand> {
  stand = await startStand(node, variables, { timings: SHORT_TIMINGS });
  return stand;
}

afterEach(() => stand.stop());

describe('a reorg', () => {
  test('takes confirmations back, and everything is mined again', async () => {
    const { anvil, mintmark, verdict } = await boot({ blockTimeSeconds: 0.25 }, { CONFIRMATIONS: '6' });
    const targets = await deployTargets(await Promise.all([mintmark.register(), mintmark.register()]));
    const log = emptyLog();
    await inParallel(10, 5, (index) => mintOnce(targets[index % 2]!, log));
    for (let reorg = 0; reorg < 3; reorg += 1) {
      await sleep(500);
      await anvil.call('anvil_reorg', [1 + reorg, []]);
      await inParallel(4, 4, (index) => mintOnce(targets[index % 2]!, log));
    }
    expect(await verdict(log)).toMatchObject({ ...FLAWLESS, acknowledged: 22, failed: 0 });
  });
});

describe('a reorg that changes what becomes of a call', () => {
  test('turns a success into a failure and back, and the verdict is what stays', async () => {
    // On a busy machine some blocks come before the test has seen the one of a mint, and replaces it.
    const { anvil, mintmark, verdict } = await boot({ blockTimeSeconds: 1 }, { CONFIRMATIONS: '30' });
    const [one, other] = [await mintmark.register(), await mintmark.register()];
    const { db } = mintmark.service.context;
    const log = emptyLog();
    await turnAround({ anvil, db, account: one, log }, 'success');
    await turnAround({ anvil, db, account: other, log }, 'failure');
    await anvil.call('anvil_mine', ['0x1e']);
    expect(await verdict(log)).toMatchObject({ ...FLAWLESS, acknowledged: 2, failed: 1 });
    const used = await Promise.all(
      [one, other].map(async ({ api }) => (await api.GET('/stats')).data!.mintsUsed),
    );
    expect(used).toEqual([2, 1]);
  });
});

describe('a deployment that a reorg turns into a failure', () => {
  test('fails the mint that its first block had confirmed, too', async () => {
    const { anvil, mintmark, quiet } = await boot({ blockTimeSeconds: 0.25 }, { CONFIRMATIONS: '40' });
    const { db, system } = mintmark.service.context;
    const session = sessionOf(mintmark, await mintmark.register());
    await quiet();
    const address = await createCollection(session);
    await session.POST('/v1/collections/{address}/mint', {
      params: { path: { address } },
      body: { to: RECIPIENT },
    });
    const sent = await query<{ raw: Hex; block_number: bigint }>(
      db,
      `select a.raw, t.block_number from transactions t join attempts a on a.hash = t.mined_hash
        where t.status = 'mined' order by t.nonce`,
    );
    expect(sent).toHaveLength(2);
    await mintmark.service.stop();

    await replaceFrom(anvil, sent[0]!.block_number);
    const factory = system.collectionFactory;
    const code = await anvil.call('eth_getCode', [factory, 'latest']);
    await anvil.call('anvil_setCode', [factory, '0x5f5ffd']);
    for (const { raw } of sent) await anvil.call('eth_sendRawTransaction', [raw]);
    await anvil.call('anvil_mine', ['0x28']);
    await anvil.call('anvil_setCode', [factory, code]);

    await mintmark.restart();
    await quiet();
    const ends = await query<{ status: string }>(
      mintmark.service.context.db,
      `select status from intents where environment = 'live' order by number`,
    );
    expect(ends).toEqual([{ status: 'failed' }, { status: 'failed' }]);
  });
});
