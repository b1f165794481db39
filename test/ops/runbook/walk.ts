import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { query } from '../../../src/db/client.ts';
import type { Db } from '../../../src/db/client.ts';
import { embeddedAccounts } from '../../../src/embedded/accounts.ts';
import type { EngineTimings } from '../../../src/engine/index.ts';
import { createCli } from '../../../lab/stage/cli.ts';
import type { AnvilOptions } from '../../../lab/stage/anvil.ts';
import { spawnService } from '../../../lab/stage/service-process.ts';
import type { ServiceProcess } from '../../../lab/stage/service-process.ts';
import { startStand } from '../../setup/stand.ts';
import type { Stand } from '../../setup/stand.ts';
import type { TestAccount, TestService } from '../../../lab/stage/service.ts';
import { deployToken, requestMint } from '../../../lab/stage/tokens.ts';
import { findProgram } from '../../../lab/stage/program.ts';
import { startPrometheus } from './prometheus.ts';
import { readRules } from './rules.ts';

/*
 * Walks an alert of ops/alerts.yaml: on a real service the fault is made, Prometheus says that the condition of the
 * alert holds, the entry of docs/runbook.md is followed, and the condition holds no more.
 */

const rules = readRules();
const entries = readFileSync('docs/runbook.md', 'utf8').split(/^## /m);
const program = await findProgram('prometheus', 'prometheus');

/** What an entry is followed with. */
export interface Site extends Stand {
  db: Db;
  account: TestAccount;
  token: string;
  /** What has to be stopped when the walk is over. */
  stack: AsyncDisposableStack;
  /** Commands that no entry names: they make a fault. */
  cli: ReturnType<typeof createCli>;
  /** Runs a command of the entry, word for word but for what stands in capitals. @returns what it says */
  admin(line: string, values?: Record<string, string>): Promise<string>;
  /** Runs the SQL of the entry, its first block or another one. @returns its rows */
  sql(values?: Record<string, string>, db?: Db, block?: number): Promise<Record<string, unknown>[]>;
  /** Makes the time that rows have waited longer: the alternative is to wait for so long. */
  age(sql: string): Promise<void>;
}

export interface Walk<Made> {
  alert: string;
  /** What is done to the service. */
  fault: string;
  /** What the entry says that ends it. */
  heal: string;
  node?: AnvilOptions;
  variables?: Record<string, string>;
  timings?: Partial<EngineTimings>;
  /** Reading the metrics takes seconds while the fault lasts. */
  isSlow?: boolean;
  induce(site: Site): Promise<Made>;
  /** As the entry says. */
  repair(site: Site, made: Made): Promise<unknown>;
}

/** Ranges in an expression, such as `[15m]`. */
const RANGE = /\[\d+[smh]\]/g;
/** Two scrapes at least: whether something still grows is seen in it. */
const SINCE_HEALED = '[5s]';
const SINCE_HEALED_SLOW = '[12s]';

/** The text of an alert's entry in one line, and the SQL of its blocks. */
function readEntry(alert: string): { text: string; sql: string[] } {
  const entry = entries.find((part) => part.split('\n')[0] === alert);
  if (entry === undefined) throw new Error(`docs/runbook.md has no entry for ${alert}`);
  const blocks = [...entry.matchAll(/^psql "\$DATABASE_URL" -c "([^"]+)"$/gm)];
  return { text: entry.replaceAll(/\s+/g, ' '), sql: blocks.map(([, sql]) => sql!) };
}

/** Starts a mint that waits for nothing. @returns its intent */
export async function startMint({ account, token }: Pick<Site, 'account' | 'token'>): Promise<string> {
  const { status, intentId } = await requestMint(account, token, { prefer: 'respond-async' });
  expect(status).toBe(202);
  return intentId!;
}

/** An engine with another key, as a process of its own. */
export const spawnEngine = ({ environment }: TestService, key: string): Promise<ServiceProcess> =>
  spawnService(
    // The admin is the first signer, whose key it has not.
    { ...environment, SIGNER_KEY: key, OPERATOR_ADMIN: embeddedAccounts[0].address, LOG_LEVEL: 'fatal' },
    ['--role', 'engine'],
  );

/** The value of the only series of a metric, as the service shows it. */
export async function readMetric({ mintmark }: Site, name: string): Promise<number> {
  const text = await (await fetch(`${mintmark.url}/metrics`)).text();
  return Number(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'm').exec(text)?.[1]);
}

const fill = (text: string, values: Record<string, string>): string =>
  Object.entries(values).reduce((filled, [name, value]) => filled.replaceAll(name, value), text);

/**
 * A counter that has grown is above its threshold until its range is over, a quarter of an hour mostly. So what is
 * asked after the repair is the same expression over the seconds since: whether it still grows.
 */
const sinceHealed = (expression: string, isSlow: boolean): string =>
  expression.replaceAll(RANGE, isSlow ? SINCE_HEALED_SLOW : SINCE_HEALED);

/** Defines the test of one alert. It says the row of the table in docs/reliability.md. */
export function walk<Made>({ alert, fault, heal, isSlow = false, ...given }: Walk<Made>): void {
  (program ? test : test.skip)(`${alert}: ${fault}; ended by: ${heal}`, async () => {
    const { expr } = rules.find((rule) => rule.alert === alert)!;
    await using stack = new AsyncDisposableStack();
    const { node = {}, variables, timings } = given;
    const stand = await startStand(node, variables, timings ? { timings } : {});
    stack.defer(() => stand.stop());
    const site = await openSite(stand, alert, stack);
    await stand.quiet();
    const prometheus = stack.use(await startPrometheus(program!, stand.mintmark.url, { isSlow }));
    expect(await prometheus.count(expr)).toBe(0);
    // A scrape in which the service left it out, as it does with what takes too long to read, tells nothing of before.
    const [, compared] = /min_over_time\((\w+)/.exec(expr) ?? [];
    if (compared) await prometheus.waitUntil(compared, true);
    const made = await given.induce(site);
    await prometheus.waitUntil(expr, true);
    const began = performance.now();
    await given.repair(site, made);
    await prometheus.waitUntil('up{job="mintmark"} == 1', true);
    await prometheus.waitUntil(sinceHealed(expr, isSlow), false);
    const seconds = ((performance.now() - began) / 1_000).toFixed(0);
    process.stdout.write(`| ${alert} | ${fault} | ${seconds} |\n`);
  });
}

async function openSite(stand: Stand, alert: string, stack: AsyncDisposableStack): Promise<Site> {
  const { mintmark } = stand;
  const account = await mintmark.register();
  const entry = readEntry(alert);
  return {
    ...{ ...stand, stack, cli: createCli(mintmark.environment) },
    // The service may be restarted.
    get db() {
      return mintmark.service.context.db;
    },
    account,
    token: await deployToken(account),
    admin: (line, values = {}) => {
      if (!entry.text.includes(`npm run admin -- ${line}`)) throw new Error(`${alert} does not say: ${line}`);
      return createCli(mintmark.environment).say(...fill(line, values).split(' '));
    },
    sql: async (values = {}, db = mintmark.service.context.db, block = 0) => {
      const sql = entry.sql[block];
      if (sql === undefined) throw new Error(`${alert} has no such SQL`);
      return query(db, fill(sql, values));
    },
    age: async (sql) => void (await query(mintmark.service.context.db, sql)),
  };
}
