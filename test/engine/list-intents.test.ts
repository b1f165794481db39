import { beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { query } from '../../src/db/client.ts';
import { longTimeouts } from '../../src/db/connection.ts';
import { listIntents } from '../../src/engine/store/intents.ts';
import type { IntentPage } from '../../src/engine/store/intents.ts';
import type { Hex } from '../../src/lib/hex.ts';
import type { Owner } from '../../src/lib/owner.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';

const owner = { accountId: '00000000-0000-4000-8000-00000000000a', environment: 'live' } as const;
const other = { ...owner, accountId: '00000000-0000-4000-8000-00000000000b' };
/** LIST_INTENTS=500000 shows what the indexes are for; the plans are the same with fewer. */
const COUNT = Number(process.env['LIST_INTENTS'] ?? 20_000);
const [BUSY, QUIET, FOREIGN] = ['0a', '0b', '0c'].map((byte) => `0x${byte.repeat(20)}`) as [Hex, Hex, Hex];
const LIMIT = 21;

const { db, url } = useSuiteDatabase(2, { timeouts: longTimeouts });

/** What is rare is oldest, where a page finds it last. */
const RARE = ['queued', 'submitted', 'failed', 'cancelled', 'quarantined', 'confirmed', 'quarantined'];

interface Given extends Owner {
  contract: Hex;
  /** `mint` when left out. */
  kind?: string;
  statuses: readonly string[];
  count: number;
}

async function insert({
  accountId,
  environment,
  contract,
  kind = 'mint',
  statuses,
  count,
}: Given): Promise<void> {
  await db.transaction(async (tx) => {
    // Foreign keys are not checked: the lists do not need them.
    await query(tx, 'set local session_replication_role = replica');
    await query(
      tx,
      `insert into intents (id, account_id, environment, kind, contract, target, calldata, operator, epoch, status,
                            transaction_hash, result, error_code, error_message, final_at)
       select gen_random_uuid(), :accountId, :environment, :kind, c, c, decode('00', 'hex'), c, 1, status,
              case when status in ('submitted', 'confirmed', 'failed') or n % 2 = 1 then decode(repeat('0d', 32), 'hex') end,
              case when status = 'confirmed' or n % 4 = 3 then decode('01', 'hex') end,
              case when status = 'failed' then 'CHAIN_ERROR' end, case when status = 'failed' then 'no' end,
              case when status in ('confirmed', 'failed', 'cancelled') then now() end
         from (select n, (:statuses::text[])[1 + n % :kinds::int] as status, decode(:contract, 'hex') as c
                 from generate_series(0, :count::int - 1) n) as given`,
      { accountId, environment, contract: contract.slice(2), kind, statuses, kinds: statuses.length, count },
    );
  });
}

beforeAll(async () => {
  await insert({
    ...other,
    contract: FOREIGN,
    statuses: ['confirmed', 'failed', 'cancelled'],
    count: COUNT / 20,
  });
  await insert({ ...owner, contract: QUIET, kind: 'pause', statuses: RARE, count: 7 });
  await insert({ ...owner, contract: BUSY, kind: 'pause', statuses: RARE, count: 7 });
  await insert({ ...owner, contract: QUIET, statuses: RARE, count: 70 });
  await insert({ ...owner, contract: BUSY, statuses: RARE, count: 14 });
  await insert({ ...owner, contract: BUSY, statuses: ['confirmed'], count: COUNT });
  await insert({ ...owner, environment: 'sandbox', contract: QUIET, statuses: ['confirmed'], count: 30 });
  await query(db, 'vacuum analyze intents');
  stored = await query(
    db,
    `select number, '0x' || encode(contract, 'hex') as contract, kind, status, result, transaction_hash from intents
      where account_id = :accountId and environment = :environment order by number desc`,
    owner,
  );
}, 120_000);

interface Stored {
  number: bigint;
  contract: string;
  kind: string;
  status: string;
  result: Hex | null;
  transaction_hash: Hex | null;
}
/** All of the account, newest first. */
let stored: Stored[];

/** What is quarantined shows the status that it had before. */
function shownStatus({ status, result, transaction_hash: hash }: Stored): string {
  if (status !== 'quarantined') return status;
  if (result) return 'confirmed';
  return hash ? 'submitted' : 'queued';
}

interface PlanNode {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

/** How many rows of tables a plan read. */
function rowsRead(node: PlanNode): number {
  const own = node['Relation Name']
    ? (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
    : 0;
  return own + (node.Plans ?? []).reduce((sum, plan) => sum + rowsRead(plan), 0);
}

type Binding = string | number | Buffer | null;

const literalOf = (value: Binding): string =>
  value === null ? 'null' : `'${Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : value}'`;

/** What it costs with a plan for these values, and with one for any: a prepared statement gets either. */
async function explain(run: () => Promise<unknown>): Promise<{ rows: number; ms: number }[]> {
  let asked: { sql: string; options: { values: Binding[] } } | undefined;
  db.once('query', (one: { sql: string; options: { values: Binding[] } }) => (asked = one));
  await run();
  const { sql, options } = asked!;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`prepare page as ${sql}`);
  const costs: { rows: number; ms: number }[] = [];
  for (const mode of ['force_custom_plan', 'force_generic_plan']) {
    await client.query(`set plan_cache_mode = ${mode}`);
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode; 'Execution Time': number }] }>(
      `explain (analyze, format json) execute page(${options.values.map(literalOf).join()})`,
    );
    const [{ Plan, 'Execution Time': ms }] = rows[0]!['QUERY PLAN'];
    costs.push({ rows: rowsRead(Plan), ms });
  }
  await client.end();
  return costs;
}

const STATUSES = [null, 'open', 'queued', 'submitted', 'confirmed', 'failed', 'cancelled'] as const;
/** What is asked for often has no index of its own. */
const KINDS = [null, 'pause'] as const;
const CONTRACTS = { any: null, busy: BUSY, quiet: QUIET, foreign: FOREIGN };

/** Whether a list of this status has it. */
function isShown(one: Stored, status: (typeof STATUSES)[number]): boolean {
  const shown = shownStatus(one);
  return status === null || (status === 'open' ? ['queued', 'submitted'].includes(shown) : shown === status);
}

const FILTERS = STATUSES.flatMap((status) => KINDS.map((kind) => ({ status, kind })));

describe.each(FILTERS)(`a page of ${COUNT} intents by status $status and kind $kind`, ({ status, kind }) => {
  test.each(Object.keys(CONTRACTS) as (keyof typeof CONTRACTS)[])(
    'and contract %s is right, and reads no more rows than a page has, for each status',
    async (name) => {
      const contract = CONTRACTS[name];
      const wanted = stored
        .filter((one) => isShown(one, status) && (!kind || one.kind === kind))
        .filter((one) => !contract || one.contract === contract)
        .map(({ number }) => number);
      for (const before of [null, wanted[LIMIT - 1] ?? 1n]) {
        const page: IntentPage = { status, kind, contract, before, limit: LIMIT };
        const listed = await listIntents(db, owner, page);
        expect(listed.map(({ number }) => number)).toEqual(
          wanted.filter((number) => before === null || number < before).slice(0, LIMIT),
        );
        for (const { rows, ms } of await explain(() => listIntents(db, owner, page))) {
          if (process.env['LIST_INTENTS'])
            process.stderr.write(`${status} ${kind} ${name} ${before}: ${rows} rows, ${ms} ms\n`);
          expect(rows).toBeLessThanOrEqual(6 * LIMIT);
        }
      }
    },
  );
});
