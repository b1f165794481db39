import { setTimeout as sleep } from 'node:timers/promises';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { waitForQuiet } from './books.ts';
import { spawnService } from '../stage/service-process.ts';
import type { Fault } from './outcome.ts';
import { say } from './outcome.ts';
import { count, judgeStage, mintAll, prepare, withAnvil, withDb } from './stage.ts';

/** Longer than the lease of a lane. */
const PAUSE_MS = 6_500;

/** Given to a process by NODE_OPTIONS: its clock is an hour ahead. */
const AN_HOUR_AHEAD = `--import data:text/javascript,${encodeURIComponent(
  `const Real=Date,by=3600000;globalThis.Date=class extends Real{constructor(...a){super(...(a.length?a:[Real.now()+by]))}static now(){return Real.now()+by}}`,
)}`;

/** Two engines share one signer; the lane holder is paused past its lease, and continues as if it still held it. */
export const pauses: Fault = ({ scaled, random }) =>
  withAnvil(async (anvil) => {
    const stage = await prepare(anvil.url);
    await stage.mintmark.service.stop();
    const environment = {
      ...stage.mintmark.environment,
      OPERATOR_ADMIN: embeddedAccounts[0].address,
      MAX_BATCH: '1',
    };
    const api = await spawnService(environment, ['--role', 'api']);
    const engines = [
      await spawnService(environment, ['--role', 'engine']),
      await spawnService({ ...environment, NODE_OPTIONS: AN_HOUR_AHEAD }, ['--role', 'engine']),
    ];
    const [pausesWanted, writes] = [scaled(50), scaled(1_000)];
    const facts = await withDb(stage.mintmark.databaseUrl, async (db) => {
      const term = () => count(db, 'select max(term) as n from lanes');
      const before = await term();
      for (let pause = 0; pause < pausesWanted; pause += 1) {
        const share =
          Math.ceil((writes * (pause + 1)) / pausesWanted) - Math.ceil((writes * pause) / pausesWanted);
        const load = mintAll(stage, share, 2);
        await sleep(random.whole(0, 300));
        const engine = engines[pause % 2]!;
        engine.child.kill('SIGSTOP');
        await sleep(PAUSE_MS);
        engine.child.kill('SIGCONT');
        await Promise.all([load, sleep(300)]);
        if (pause % 10 === 9) say(`  ${pause + 1} of ${pausesWanted} pauses`);
      }
      await waitForQuiet(db, 120_000);
      return {
        handovers: (await term()) - before,
        collisions: await count(
          db,
          `select count(*) as n from (select 1 from transactions group by signer, nonce having count(*) > 1) t`,
        ),
        displaced: await count(db, `select count(*) as n from transactions where status = 'displaced'`),
        misplaced: await count(
          db,
          `select count(*) as n from (select id, unnest(intent_numbers) as number, true as has from transactions) t
             full join (select unnest(sent_in) as id, number, true as has from intents) i using (id, number)
            where t.has is null or i.has is null`,
        ),
      };
    });
    for (const { kill } of [api, ...engines]) await kill('SIGTERM');
    await stage.mintmark.restart();
    const judgement = await judgeStage(stage);
    await stage.mintmark.stop();
    const collisions = facts.collisions + facts.displaced;
    return {
      made: `${pausesWanted} SIGSTOPs of ${PAUSE_MS / 1_000} s, a clock 1 h ahead`,
      judgement,
      note: `the lane changed hands ${facts.handovers} times`,
      flaws: [
        ...(collisions > 0 ? [`${collisions} nonce collisions`] : []),
        ...(facts.misplaced > 0
          ? [`${facts.misplaced} times a transaction and an intent disagree on its place`]
          : []),
        ...(facts.handovers < pausesWanted / 2
          ? [`the lane changed hands only ${facts.handovers} times`]
          : []),
      ],
    };
  });
