import { setTimeout as sleep } from 'node:timers/promises';
import { turnAround } from '../../test/faults/reorgs.ts';
import type { Fault } from './outcome.ts';
import { say } from './outcome.ts';
import { judgeStage, mintAll, prepare, withAnvil } from './stage.ts';

/** Every fifth time a mint is turned from a success into a failure and back, and every tenth into a failure for good. */
export const reorgs: Fault = ({ scaled }) =>
  withAnvil(async (anvil) => {
    const stage = await prepare(anvil.url, { variables: { CONFIRMATIONS: '6' } });
    const { db } = stage.mintmark.service.context;
    const account = stage.targets[0]!.account;
    const wanted = scaled(100);
    let made = 0;
    let turned = 0;
    let failures = 0;
    for (let turn = 0; made < wanted; turn += 1) {
      await mintAll(stage, 5, 5);
      if (turn % 5 === 4) {
        const ends = turn % 10 === 9 ? 'failure' : 'success';
        made += await turnAround({ anvil, db, account, log: stage.log }, ends);
        turned += 1;
        failures += Number(ends === 'failure');
        // Until no later reorg can change it.
        if (ends === 'failure') await sleep(7_000);
      } else {
        await sleep(1_200);
        await anvil.call('anvil_reorg', [1 + (made % 5), []]);
        made += 1;
      }
      if (turn % 10 === 9) say(`  ${made} of ${wanted} reorgs`);
    }
    const judgement = await judgeStage(stage);
    await stage.mintmark.stop();
    return {
      made: `${made} of depth 1 to 5, final after 6`,
      judgement,
      note: `${turned} undone, ${failures} of them for good`,
      flaws: judgement.failed === failures ? [] : [`${judgement.failed} failed instead of ${failures}`],
    };
  });
