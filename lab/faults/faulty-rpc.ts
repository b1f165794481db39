import { randomFaults, startRpcProxy } from '../proxies/rpc-proxy.ts';
import type { Fault } from './outcome.ts';
import { say } from './outcome.ts';
import { withSigners } from './signers.ts';
import { ONE_BY_ONE_MS, countFinal, judgeStage, mintAll, prepare, withAnvil } from './stage.ts';

/** A fifth of all calls meets one of eight faults. Each mint is a transaction of its own. */
export const faultyRpc: Fault = ({ scaled, random }) =>
  withSigners((signers) =>
    withAnvil(async (anvil) => {
      const proxy = await startRpcProxy({
        target: anvil.url,
        faultFor: () => null,
        maxDelayMs: 60_000,
        random: random.fork('delays'),
      });
      const stage = await prepare(anvil.url, {
        rpcUrl: proxy.url,
        variables: { ...signers, MAX_BATCH: '1' },
        accounts: 12,
      });
      const { db, rpc } = stage.mintmark.service.context;
      const before = { final: await countFinal(db), calls: sum(rpc.counts()) };
      proxy.options.faultFor = randomFaults(0.2, random.fork('faults'));
      const startedAt = Date.now();
      await mintAll(stage, scaled(2_000), 50);
      const progress = setInterval(() => {
        void countFinal(db).then((final) => say(`  ${final - before.final} transactions have their verdict`));
      }, 30_000);
      const judgement = await judgeStage(stage, { quietMs: ONE_BY_ONE_MS });
      clearInterval(progress);
      const seconds = Math.round((Date.now() - startedAt) / 1_000);
      const final = (await countFinal(db)) - before.final;
      const calls = sum(rpc.counts()) - before.calls;
      proxy.options.faultFor = () => null;
      await stage.mintmark.stop();
      await proxy.stop();
      say(
        Object.entries(proxy.counts)
          .map(([kind, count]) => `${kind} ${count}`)
          .join(', '),
      );
      return {
        made: `${sum(proxy.counts)} faults of 8 kinds in ${calls} calls`,
        judgement,
        note: `${final} transactions done in ${seconds} s`,
        flaws: judgement.failed > 0 ? [`${judgement.failed} false CHAIN_ERROR`] : [],
      };
    }),
  );

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((total, one) => total + one, 0);
