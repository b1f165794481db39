import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import type { Db } from '../../src/db/client.ts';
import { findLanes } from '../../src/engine/index.ts';
import { createCli, runAsProcess } from '../stage/cli.ts';
import type { Anvil } from '../stage/anvil.ts';
import { mintOnce } from '../load/load.ts';
import { spawnService } from '../stage/service-process.ts';
import type { Fault } from './outcome.ts';
import { say } from './outcome.ts';
import { count, judgeStage, prepare, withAnvil, withDb } from './stage.ts';

/** The signer is rotated repeatedly between two keys while clients write. */
export const rotation: Fault = ({ scaled }) =>
  withAnvil(async (anvil) => {
    const stage = await prepare(anvil.url);
    await stage.mintmark.service.stop();
    const [first, , other] = embeddedAccounts;
    const environment = { ...stage.mintmark.environment, OPERATOR_ADMIN: first.address };
    const cli = createCli(environment, runAsProcess);
    await cli.run('signers', 'grant', other.address);
    const processes = [
      await spawnService(environment, ['--role', 'api']),
      await spawnService(environment, ['--role', 'engine']),
      await spawnService({ ...environment, SIGNER_KEY: other.privateKey }, ['--role', 'engine']),
    ];
    let isOver = false;
    const clients = stage.targets.map(async (target) => {
      while (!isOver) await mintOnce(target, stage.log);
    });
    const wanted = scaled(10);
    let incomplete = 0;
    for (let rotation = 0; rotation < wanted; rotation += 1) {
      const [from, to] = rotation % 2 === 0 ? [first, other] : [other, first];
      const pair = ['--from', from.address, '--to', to.address];
      const answer = await cli.ask<{ isComplete: boolean }>('signers', 'rotate', ...pair);
      incomplete += Number(!answer.isComplete);
      say(`  ${rotation + 1} of ${wanted} rotations`);
    }
    isOver = true;
    await Promise.all(clients);
    const judged = await judgeStage(stage);
    const { signers, nonceGaps } = await withDb(stage.mintmark.databaseUrl, async (db) => ({
      signers: await count(db, 'select count(distinct signer) as n from transactions'),
      nonceGaps: await countUnused(db, anvil),
    }));
    for (const { kill } of processes) await kill('SIGTERM');
    return {
      made: `${wanted} rotations between two signers`,
      judgement: { ...judged, nonceGaps },
      note: `${signers} signers sent`,
      flaws: incomplete > 0 ? [`${incomplete} rotations incomplete`] : [],
    };
  });

/**
 * Signers that have handed out another number of nonces than the chain has used. Between the transactions of a lane lie
 * those by which the admin, who has the same key, changed the roles.
 */
async function countUnused(db: Db, anvil: Anvil): Promise<number> {
  let unused = 0;
  for (const { signer, nextNonce } of await findLanes(db)) {
    const used = BigInt(await anvil.call<string>('eth_getTransactionCount', [signer, 'latest']));
    unused += Number(used !== nextNonce);
  }
  return unused;
}
