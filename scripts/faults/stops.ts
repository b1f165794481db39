import { runStops } from '../../test/faults/stops.ts';
import type { Fault } from './outcome.ts';
import { say } from './outcome.ts';
import { judgeStage, prepare, withAnvil } from './stage.ts';

/** SIGTERM while clients write, half of them waiting for the verdict. */
export const stops: Fault = ({ scaled, random }) =>
  withAnvil(async (anvil) => {
    const stage = await prepare(anvil.url);
    await stage.mintmark.service.stop();
    const wanted = scaled(50);
    const report = await runStops(
      stage.mintmark,
      stage.targets,
      { stops: wanted, width: 12, random },
      (done) => {
        if (done % 10 === 0) say(`  ${done} of ${wanted} stops`);
      },
    );
    stage.log = report.log;
    await stage.mintmark.restart();
    const judgement = await judgeStage(stage);
    await stage.mintmark.stop();
    const bad = report.exitCodes.filter((code) => code !== 0).length;
    return {
      made: `${report.stops} SIGTERMs while 12 clients write`,
      judgement,
      note: `${report.resets.length} resets${report.resets.length > 0 ? ` (${[...new Set(report.resets)].join(', ')})` : ''}, slowest stop ${(Math.max(...report.stopMs) / 1_000).toFixed(1)} s`,
      flaws: [
        ...(report.resets.length > 0 ? [`${report.resets.length} resets`] : []),
        ...(bad > 0 ? [`${bad} ends with another code than 0`] : []),
      ],
    };
  });
