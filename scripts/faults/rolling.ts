import { openCustomers, runRolling } from '../../test/faults/rolling.ts';
import { findProgram } from '../../test/setup/program.ts';
import { waitForQuiet } from '../../test/faults/books.ts';
import { startMinedNode } from '../../test/faults/node-faults.ts';
import type { Fault } from './outcome.ts';
import { say } from './outcome.ts';
import { spreadContracts, withSigners } from './signers.ts';
import { count, judgeStage, prepare, withDb } from './stage.ts';

const MINUTES = 30;
const REPLICAS = 4;
const SIGNERS = 2;
/** Both cores of a small machine carry it beside the restarts. */
const PER_SECOND = 50;
const KEPT_STATES = 8;
/** Each may mint 10,000 units a month. */
const ACCOUNTS = 12;

/** All processes are restarted in turn for half an hour, behind nginx, while clients write. */
export const rollingRestart: Fault = async ({ scaled, random, blockMs }) => {
  const nginx = await findProgram('nginx', 'nginx-light');
  const openssl = await findProgram('openssl', 'openssl');
  if (!nginx || !openssl) throw new Error('the rolling restart needs nginx and openssl');
  return withSigners(async (signers) => {
    await using anvil = await startMinedNode(blockMs, { keptStates: KEPT_STATES });
    anvil.startBlocks();
    const options = { variables: signers, accounts: ACCOUNTS, hasNfts: true };
    const stage = await prepare(anvil.url, options);
    await using stack = new AsyncDisposableStack();
    stack.use(stage.mintmark);
    const customers = await openCustomers(stage.mintmark, stage.targets);
    await waitForQuiet(stage.mintmark.service.context.db, 60_000);
    await spreadContracts(stage.mintmark.service.context.db);
    await stage.mintmark.service.stop();
    const seconds = scaled(MINUTES * 60);
    const over = performance.now() + seconds * 1_000;
    const handovers = () =>
      withDb(stage.mintmark.databaseUrl, (db) => count(db, 'select sum(epoch) as n from lanes'));
    const before = await handovers();
    const report = await runRolling(stage.mintmark, customers, {
      programs: { nginx, openssl },
      ...{ replicas: REPLICAS, perSecond: PER_SECOND, random },
      isOver: (restarts) => {
        if (restarts > 0 && restarts % (2 * REPLICAS) === 0) say(`  ${restarts} restarts`);
        return performance.now() > over;
      },
    });
    const moved = (await handovers()) - before;
    for (const failure of report.failures) say(`  ${failure}`);
    stage.log = report.log;
    await stage.mintmark.restart();
    const judgement = await judgeStage(stage);
    return {
      made: `${report.restarts} restarts, ${REPLICAS} APIs, ${REPLICAS} engines`,
      judgement,
      note: `${report.failures.length} failed, ${moved} handovers, ${report.failedStarts} bad starts`,
      flaws: [
        ...(report.failures.length > 0 ? [`${report.failures.length} requests failed`] : []),
        ...new Set(report.badEnds),
      ],
    };
  }, SIGNERS);
};
