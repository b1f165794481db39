import { createDb, query } from '../../src/db/client.ts';
import { longTimeouts } from '../../src/db/connection.ts';
import type { Db } from '../../src/db/client.ts';
import { migrate } from '../../src/db/migrate.ts';
import { QUEUE_LOOK } from '../../src/engine/send/dispatch.ts';
import { findQueued } from '../../src/engine/store/queue.ts';
import type { QueueLook } from '../../src/engine/store/queue.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { administer, databaseUrl } from '../../lab/stage/template.ts';
import { percentile } from '../../lab/load/http.ts';
import type { Settings } from './settings.ts';
import { say } from '../lib/say.ts';
import { renderTable } from './table.ts';

const OWN: Hex = `0x${'01'.repeat(20)}`;
const LOOKS = 200;

/** A queue: intents of some accounts, spread evenly over some contracts. */
interface Scenario {
  what: string;
  accounts: number;
  contracts: number;
  /** Whether a contract cannot go on, by its number. */
  isBlocked?: (contract: number) => boolean;
}

const scenarios: readonly Scenario[] = [
  { what: '1 account, 1 contract', accounts: 1, contracts: 1 },
  { what: '1 account, 10,000 contracts', accounts: 1, contracts: 10_000 },
  {
    what: '1 account, 10,000 contracts, half of them blocked',
    accounts: 1,
    contracts: 10_000,
    isBlocked: (contract) => contract % 2 === 0,
  },
  { what: '700 accounts, 1 contract each', accounts: 700, contracts: 700 },
  {
    what: '700 accounts, 10,000 contracts, half of them blocked',
    accounts: 700,
    contracts: 10_000,
    isBlocked: (contract) => contract % 2 === 0,
  },
];

interface Row {
  what: string;
  first: number;
  times: number[];
  found: number;
  served: number;
}

/** What a look at a long queue costs. */
export async function measureQueue({ postgresUrl, scale }: Settings): Promise<string> {
  const intents = Math.ceil(1_000_000 * scale);
  const rows: Row[] = [];
  for (const [index, scenario] of scenarios.entries()) {
    const name = `queue_${index}`;
    await administer(postgresUrl, `create database ${name}`);
    const url = databaseUrl(postgresUrl, name);
    await migrate(url);
    const db = createDb(url, 2, { timeouts: longTimeouts, prepares: true });
    await fill(db, intents, scenario);
    rows.push(await measure(db, scenario));
    await db[Symbol.asyncDispose]();
    await administer(postgresUrl, `drop database ${name}`);
    say(`  ${scenario.what}: ${percentile(rows.at(-1)!.times, 0.95).toFixed(1)} ms`);
  }
  return `${intents.toLocaleString('en')} queued intents; ${LOOKS} looks, each going on where the one before ended.\n\n${renderTable(
    [
      ['Queue', (row) => row.what],
      ['First look, ms', (row) => row.first.toFixed(1)],
      ['p50, ms', (row) => percentile(row.times, 0.5).toFixed(1)],
      ['p95, ms', (row) => percentile(row.times, 0.95).toFixed(1)],
      ['Intents a look', (row) => row.found],
      ['Accounts seen', (row) => row.served],
    ],
    rows,
  )}`;
}

const ACCOUNT = `('00000000-0000-4000-8000-' || lpad((n % :accounts + 1)::text, 12, '0'))::uuid`;
const CONTRACT = `decode(lpad(to_hex(n), 40, '0'), 'hex')`;

export async function fill(db: Db, intents: number, { accounts, contracts }: Scenario): Promise<void> {
  const bindings = { intents, accounts, contracts, own: toBuffer(OWN) };
  await query(
    db,
    `insert into accounts (id, email, password_hash)
     select ${ACCOUNT}, n || '@example.com', '-' from generate_series(0, :accounts::int - 1) n`,
    bindings,
  );
  await query(
    db,
    `insert into contracts (contract, account_id, waiting)
     select ${CONTRACT}, ${ACCOUNT}, true from generate_series(0, :contracts::int - 1) n`,
    bindings,
  );
  await query(
    db,
    `insert into intents (id, account_id, environment, kind, contract, target, calldata, operator, epoch, gas_estimate, status)
     select gen_random_uuid(), ${ACCOUNT}, 'live', 'mint', ${CONTRACT}, ${CONTRACT},
            sha256(n::text::bytea) || sha256(n::text::bytea), :own::bytea, 1, 50000, 'queued'
       from generate_series(0, :intents::int - 1) i, lateral (select i % :contracts as n) c`,
    bindings,
  );
  await query(db, 'vacuum analyze');
}

const toBuffer = (hex: Hex): Buffer => Buffer.from(hex.slice(2), 'hex');

/** Looks as a lane does that sends one intent of each contract that it finds. */
async function measure(db: Db, { what, contracts, isBlocked }: Scenario): Promise<Row> {
  const excluded = Array.from({ length: contracts }, (_, contract) => contract)
    .filter((contract) => isBlocked?.(contract))
    .map((contract): Hex => `0x${contract.toString(16).padStart(40, '0')}`);
  const look: QueueLook = {
    ...QUEUE_LOOK,
    excluded,
    pausedOperators: [],
    afterAccount: null,
    afterContracts: new Map(),
  };
  const times: number[] = [];
  const accounts = new Set<string>();
  let found = 0;
  for (let turn = 0; turn < LOOKS; turn += 1) {
    const startedAt = performance.now();
    const queue = await findQueued(db, look);
    times.push(performance.now() - startedAt);
    found = queue.queued.length;
    for (const { accountId } of queue.queued) accounts.add(accountId);
    look.afterAccount = queue.contracts.at(-1)?.accountId ?? null;
    look.afterContracts = new Map(queue.contracts.map(({ accountId, contract }) => [accountId, contract]));
  }
  return { what, first: times[0]!, times, found, served: accounts.size };
}
