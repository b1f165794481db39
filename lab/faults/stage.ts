import { query } from '../../src/db/client.ts';
import type { Db } from '../../src/db/client.ts';
import type { EngineTimings } from '../../src/engine/index.ts';
import { deploySystem } from '../stage/system.ts';
import { startAnvil } from '../stage/anvil.ts';
import type { Anvil, AnvilOptions } from '../stage/anvil.ts';
import { readOpen, waitForQuiet } from './books.ts';
import { judge } from './judge.ts';
import type { ClientLog, JudgeOptions, Judgement } from './judge.ts';
import { deployTargets, emptyLog, inParallel, mintOnce } from '../load/load.ts';
import type { Target } from '../load/load.ts';
import { openProvider } from '../stage/provider.ts';
import { startTestService } from '../stage/service.ts';
import type { TestService } from '../stage/service.ts';
import { openTestDb } from '../stage/database.ts';

const QUIET_MS = 1_200_000;
/** For transactions of one call each, of which one lane has to bring most into a block singly. */
export const ONE_BY_ONE_MS = 3_600_000;

/** The service with clients that have a token each and a large quota, and their log. */
export interface Stage {
  mintmark: TestService;
  targets: Target[];
  /** Where the judge reads the chain: the node itself, not a proxy in front of it. */
  nodeUrl: string;
  log: ClientLog;
}

export interface StageOptions {
  /** The RPC_URL that the service gets, when it is not the node's own. */
  rpcUrl?: string;
  variables?: Record<string, string>;
  accounts?: number;
  /** Every second account has an ERC-721; all have ERC-20s otherwise. */
  hasNfts?: boolean;
  timings?: Partial<EngineTimings>;
}

/** Deploys the system contracts of an administrator who is no signer of the service, and makes `signer` an executor. */
export async function deployByAdmin(
  nodeUrl: string,
  { admin, signer }: { admin: string; signer: string },
): Promise<void> {
  using provider = openProvider(nodeUrl, { cacheTimeout: -1, pollingInterval: 250 });
  await deploySystem(await provider.getSigner(admin), signer);
}

/** Starts the service in this process. */
export async function prepare(
  nodeUrl: string,
  { rpcUrl = nodeUrl, variables = {}, accounts = 4, hasNfts = false, timings }: StageOptions = {},
): Promise<Stage> {
  const mintmark = await startTestService(
    { LOG_LEVEL: 'silent', ...variables },
    { rpcUrl, ...(timings && { timings }) },
  );
  try {
    const registered = await Promise.all(Array.from({ length: accounts }, () => mintmark.register()));
    await query(mintmark.service.context.db, `update accounts set plan = 'PRO_PLUS'`);
    const targets = await deployTargets(registered, (place) => hasNfts && place % 2 === 1);
    return { mintmark, targets, nodeUrl, log: emptyLog() };
  } catch (error) {
    await mintmark.stop();
    throw error;
  }
}

/** Waits until every intent has its verdict, and judges; intents without one are lost. */
export async function judgeStage(
  stage: Stage,
  { quietMs = QUIET_MS, ...options }: JudgeOptions & { quietMs?: number } = {},
): Promise<Judgement> {
  const { operator } = stage.mintmark.service.context.system;
  return withDb(stage.mintmark.databaseUrl, async (db) => {
    const open = await waitForQuiet(db, quietMs);
    const judgement = await judge(db, stage.nodeUrl, operator, stage.log, options);
    const reasons = open > 0 ? await explainOpen(stage, db) : [];
    return { ...judgement, violations: [...judgement.violations, ...reasons] };
  });
}

/** What the service says of each intent that has no verdict, one sentence each. */
async function explainOpen({ mintmark }: Stage, db: Db): Promise<string[]> {
  const open = await readOpen(db);
  return Promise.all(
    open.map(async ({ id, status }) => {
      // A service that has stopped explains nothing.
      const found = await mintmark.service.context.engine.explain(id).catch(() => undefined);
      return `${id} is ${status}: ${found?.cause ?? 'not explained'}`;
    }),
  );
}

/** A connection apart from the service's own, which may be stopped. */
export async function withDb<Result>(url: string, work: (db: Db) => Promise<Result>): Promise<Result> {
  await using db = openTestDb(url, 2);
  return await work(db);
}

/** A node with 1 s blocks, whose chain outlives the service. */
export async function withAnvil<Result>(
  run: (anvil: Anvil) => Promise<Result>,
  options: AnvilOptions = { blockTimeSeconds: 1 },
): Promise<Result> {
  await using anvil = await startAnvil(options);
  return await run(anvil);
}

export const mintAll = (stage: Stage, count: number, width: number): Promise<void> =>
  inParallel(count, width, (index) => mintOnce(stage.targets[index % stage.targets.length]!, stage.log));

/** One number from the database. */
export async function count(db: Db, sql: string): Promise<number> {
  const [row] = await query<{ n: number | bigint }>(db, sql);
  return Number(row!.n);
}

/** Transactions that have their final verdict. */
export const countFinal = (db: Db): Promise<number> =>
  count(db, `select count(*) as n from transactions where status in ('final', 'displaced')`);
