import { query } from '../../src/db/client.ts';
import { AppError } from '../../src/errors.ts';
import type { EngineTimings } from '../../src/engine/index.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestService } from '../../lab/stage/service.ts';
import { startAnvil } from '../../lab/stage/anvil.ts';
import type { Anvil, AnvilOptions } from '../../lab/stage/anvil.ts';
import { waitForQuiet } from '../../lab/faults/books.ts';
import { judge } from '../../lab/faults/judge.ts';
import type { ClientLog, Judgement } from '../../lab/faults/judge.ts';
import { startRpcProxy } from '../../lab/proxies/rpc-proxy.ts';
import type { RpcProxy, RpcProxyOptions } from '../../lab/proxies/rpc-proxy.ts';

const QUIET_MS = 600_000;

/** The service behind a proxy that behaves at first, in front of anvil. */
export interface Stand {
  anvil: Anvil;
  proxy: RpcProxy;
  mintmark: TestService;
  /** Waits until every intent has its verdict. */
  quiet(): Promise<void>;
  /** The same, and what the chain says of it. */
  verdict(log: ClientLog): Promise<Judgement>;
  /** Polls until a query answers a row. */
  waitForRow<Row>(sql: string): Promise<Row[]>;
  stop(): Promise<void>;
}

export async function startStand(
  node: AnvilOptions,
  variables: Record<string, string> = {},
  { timings, ...options }: Partial<RpcProxyOptions> & { timings?: Partial<EngineTimings> } = {},
): Promise<Stand> {
  await using opening = new AsyncDisposableStack();
  const anvil = opening.use(await startAnvil(node));
  const proxy = opening.use(await startRpcProxy({ target: anvil.url, faultFor: () => null, ...options }));
  const mintmark = opening.use(
    await startTestService(
      { LOG_LEVEL: 'silent', ...variables },
      { rpcUrl: proxy.url, ...(timings && { timings }) },
    ),
  );
  // It stops by an endpoint that answers.
  opening.defer(() => void (proxy.options.faultFor = () => null));
  const quiet = async (): Promise<void> => {
    const open = await waitForQuiet(mintmark.service.context.db, QUIET_MS);
    if (open > 0) throw new Error(`${open} intents have no verdict after ${QUIET_MS / 1_000} s`);
  };
  const opened = opening.move();
  return {
    anvil,
    proxy,
    mintmark,
    quiet,
    verdict: async (log) => {
      await quiet();
      const { db, system } = mintmark.service.context;
      return judge(db, anvil.url, system.operator, log);
    },
    waitForRow: async <Row>(sql: string) => {
      for (let look = 0; look < 6_000; look += 1) {
        // While commits are lost the service refuses a connection that it has to open anew.
        const rows = await query<Row>(mintmark.service.context.db, sql).catch((error: unknown) => {
          if (error instanceof AppError) return [];
          throw error;
        });
        if (rows.length > 0) return rows;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      throw new Error(`no row: ${sql}`);
    },
    stop: () => opened.disposeAsync(),
  };
}
