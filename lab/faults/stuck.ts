import { startRpcProxy } from '../proxies/rpc-proxy.ts';
import { query } from '../../src/db/client.ts';
import type { Fault } from './outcome.ts';
import { withSigners } from './signers.ts';
import { ONE_BY_ONE_MS, judgeStage, mintAll, prepare, withAnvil } from './stage.ts';

/**
 * A pool takes the first bid of each transaction, never lets it be mined, and takes another one by geth's rule only.
 */
export const stuck: Fault = ({ scaled }) =>
  withSigners((signers) =>
    withAnvil(async (anvil) => {
      const proxy = await startRpcProxy({ target: anvil.url, faultFor: () => null, gethReplacement: true });
      const stage = await prepare(anvil.url, {
        rpcUrl: proxy.url,
        variables: { ...signers, MAX_BATCH: '1' },
        accounts: 12,
      });
      const { db } = stage.mintmark.service.context;
      const [last] = await query<{ id: bigint }>(db, 'select max(id) as id from transactions');
      proxy.options.withholdFirstBids = true;
      const wanted = scaled(500);
      await mintAll(stage, wanted, 50);
      const judgement = await judgeStage(stage, { quietMs: ONE_BY_ONE_MS });
      const [bids] = await query<{ replaced: number; once: number }>(
        db,
        `select count(*) filter (where bids > 1)::int as replaced, count(*) filter (where bids = 1)::int as once
           from (select count(a.hash) as bids from transactions t join attempts a on a.transaction_id = t.id
                  where t.id > :last and t.status = 'final' group by t.id) t`,
        { last: String(last!.id) },
      );
      await stage.mintmark.stop();
      await proxy.stop();
      return {
        made: `${proxy.counts['withhold'] ?? 0} first bids that are never mined`,
        judgement,
        note: `${bids!.replaced} by a later bid, ${proxy.counts['underpriced'] ?? 0} underpriced`,
        flaws: bids!.once > 0 ? [`${bids!.once} transactions were mined by their first bid`] : [],
      };
    }),
  );
