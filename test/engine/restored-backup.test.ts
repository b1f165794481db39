import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, jest, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { FLAWLESS } from '../faults/judge.ts';
import { deployTargets, emptyLog, mintOnce } from '../faults/load.ts';
import { startStand } from '../faults/stand.ts';
import type { Stand } from '../faults/stand.ts';
import { copyDatabase } from '../setup/database.ts';
import type { TestService } from '../setup/service.ts';

jest.setTimeout(240_000);

let stand: Stand;
afterEach(() => stand.stop());

test('a restored backup lets nobody cancel what the chain did since, and gives up nothing of it while the chain is out of reach', async () => {
  stand = await startStand({});
  const { proxy, mintmark, verdict, waitForRow } = stand;
  const [target] = await deployTargets([await mintmark.register()]);
  const { api } = target!.account;
  const [done, other] = [emptyLog(), emptyLog()];
  await restoreQueued(stand, () => mintOnce(target!, done));
  const [id] = done.acknowledged;
  const { response, error } = await api.POST('/intents/{id}/cancel', { params: { path: { id: id! } } });
  expect([response.status, error?.code]).toEqual([409, 'CONFLICT']);

  await mintOnce(target!, other);
  proxy.options.faultFor = () => 'drop';
  await letLanesGo(mintmark);
  await sleep(10_000);
  const failed = await waitForRow<{ id: string }>(`select id from intents where status = 'failed'`);
  expect(failed.map((intent) => intent.id)).toEqual([...other.acknowledged]);
  proxy.options.faultFor = () => null;
  // The deployment and the mint.
  expect(await verdict(done)).toMatchObject({ ...FLAWLESS, acknowledged: 1, confirmed: 2, failed: 1 });
  expect((await api.GET('/stats')).data!.mintsUsed).toBe(2);
});

/**
 * Lets the service do what `write` asks for, and starts it again over a copy in which that is still queued. The lanes of
 * the copy stand still until `letLanesGo`.
 */
async function restoreQueued({ mintmark, quiet }: Stand, write: () => Promise<void>): Promise<void> {
  await quiet();
  await query(
    mintmark.service.context.db,
    `update lanes set epoch = epoch + 1, holder = 'another', lease_until = now() + interval '1 hour'`,
  );
  await write();
  await mintmark.service.stop();
  const backup = await copyDatabase(mintmark.databaseUrl);
  await mintmark.restart();
  await letLanesGo(mintmark);
  await quiet();
  await mintmark.restart({ DATABASE_URL: backup });
}

const letLanesGo = ({ service }: TestService) =>
  query(service.context.db, `update lanes set lease_until = '-infinity'`);
