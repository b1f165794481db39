import { query } from '../../src/db/client.ts';
import type { Db } from '../../src/db/client.ts';
import { inParallel } from '../../lab/load/load.ts';
import { administer, databaseUrl } from '../../lab/stage/template.ts';
import { get, openAgent, percentile } from '../../lab/load/http.ts';
import { startHardhat } from './nodes.ts';
import { mintOverHttp, startOwn } from './own.ts';
import type { OwnService } from './own.ts';
import type { Settings } from './settings.ts';
import { say } from '../lib/say.ts';
import { renderTable } from './table.ts';

const INTENTS = 1_000_000;
const TOKENS = 100_000;
/** Old intents in each old transaction. */
const BATCH = 100;

/** Milliseconds, p50. */
interface Latency {
  what: string;
  empty: number;
  full: number;
}

/**
 * How old data affects the service: the same requests over an empty database, and with old intents and tokens in it.
 */
export async function measureHistory({ postgresUrl, scale, runs }: Settings): Promise<string> {
  await administer(postgresUrl, 'create database history');
  const node = await startHardhat();
  const own = await startOwn(databaseUrl(postgresUrl, 'history'), node.url, 20);
  await mintOverHttp(own, { mints: 500, connections: 20, respondAsync: true });
  say('  measuring with an empty database');
  const empty = await measureAll(own, runs);
  const [intents, tokens] = [Math.ceil(INTENTS * scale), Math.ceil(TOKENS * scale)];
  say(`  making ${intents} intents and ${tokens} tokens`);
  await makeHistory(own.db, intents, tokens);
  say('  measuring again');
  await measureAll(own, 1);
  const full = await measureAll(own, runs);
  await own.stop();
  await node.stop();
  const rows: Latency[] = [...empty].map(([what, ms]) => ({ what, empty: ms, full: full.get(what)! }));
  return `Embedded node; ${intents.toLocaleString('en')} old intents with their ledger, and ${tokens.toLocaleString('en')} tokens.\n\n${renderTable(
    [
      ['Request', (row) => row.what],
      ['p50 empty, ms', (row) => row.empty.toFixed(1)],
      ['p50 full, ms', (row) => row.full.toFixed(1)],
      ['Times', (row) => (row.full / row.empty).toFixed(2)],
    ],
    rows,
  )}`;
}

async function measureAll(own: OwnService, runs: number): Promise<Map<string, number>> {
  const all = new Map<string, number[]>();
  for (let run = 0; run < runs; run += 1) {
    for (const [what, ms] of await measureOnce(own)) all.set(what, [...(all.get(what) ?? []), ms]);
  }
  return new Map([...all].map(([what, values]) => [what, percentile(values, 0.5)]));
}

async function measureOnce(own: OwnService): Promise<[string, number][]> {
  const lone = await mintOverHttp(own, { mints: 100, connections: 1, respondAsync: false });
  const many = await mintOverHttp(own, { mints: 2_000, connections: 100, respondAsync: true });
  const agent = openAgent(1);
  const { token, address } = own.tokens[0]!;
  const read = async (path: string): Promise<number> => {
    const times: number[] = [];
    await inParallel(200, 1, async () => {
      const reply = await get(agent, own.url + path, { Authorization: `Bearer ${token}` });
      if (reply.status !== 200) throw new Error(`${reply.status} ${reply.body}`);
      times.push(reply.milliseconds);
    });
    return percentile(times, 0.5);
  };
  const reads: [string, number][] = [];
  for (const path of ['/stats', '/tokens?limit=20', '/intents?limit=20', `/tokens/${address}`]) {
    reads.push([`GET ${path.replace(address, '{address}')}`, await read(path)]);
  }
  agent.destroy();
  return [
    ['mint, alone, synchronous', percentile(lone.answers, 0.5)],
    ['mint, 100 connections, asynchronous: answer', percentile(many.answers, 0.5)],
    ...reads,
  ];
}

/** Old rows: all settled, spread over the accounts that there are. */
async function makeHistory(db: Db, intents: number, tokens: number): Promise<void> {
  const transactions = Math.ceil(intents / BATCH);
  // A retired signer, with final transactions.
  await query(
    db,
    `insert into lanes (signer, next_nonce, retiring) values (decode(repeat('11', 20), 'hex'), :nextNonce, true)`,
    { nextNonce: transactions },
  );
  await query(
    db,
    `insert into transactions (signer, nonce, status, gas_limit, expected_gas, fee, operator, epoch, calldata, mined_hash, block_number, block_hash)
     select decode(repeat('11', 20), 'hex'), n, 'final', 5000000, 4000000, 4000000, decode(repeat('22', 20), 'hex'), 1, sha256(n::text::bytea), sha256(n::text::bytea), n,
            sha256(n::text::bytea)
       from generate_series(0, :transactions::int - 1) n`,
    { transactions },
  );
  await query(
    db,
    `with own as (select array_agg(id order by id) as ids, count(*)::int as count from accounts),
          first as (select min(id) as id from transactions where signer = decode(repeat('11', 20), 'hex'))
     insert into intents (id, account_id, environment, kind, contract, target, calldata, operator, epoch, gas_estimate, status,
                          transaction_hash, created_at, updated_at, final_at, decided_by, sent_in, held_meter, held_amount, held_remaining)
     select gen_random_uuid(), ids[1 + n % count], 'live', case when n < :tokens then 'deploy_token' else 'mint' end,
            substring(sha256((n % :tokens)::text::bytea) for 20), substring(sha256((n % :tokens)::text::bytea) for 20),
            sha256(n::text::bytea) || sha256(n::text::bytea), decode(repeat('22', 20), 'hex'), 1, 50000, 'confirmed', sha256((n / :batch)::text::bytea),
            old.day, old.day, old.day, first.id + n / :batch, array[first.id + n / :batch], 'mints', 1, 0
       from own, first, generate_series(0, :intents::int - 1) n,
            lateral (select now() - interval '70 days' + n * interval '2 seconds' as day) old order by n`,
    { tokens, batch: BATCH, intents },
  );
  const [first] = await query<{ number: bigint }>(
    db,
    `select min(number) as number from intents where final_at < now() - interval '60 days'`,
  );
  const start = String(first!.number);
  await query(
    db,
    `update transactions set (intent_numbers, gas_caps) = (
       select array_agg(number order by number), array_agg(60000) from intents where decided_by = transactions.id
          and number between :start::bigint + nonce * :batch and :start::bigint + nonce * :batch + :batch - 1)
      where signer = decode(repeat('11', 20), 'hex')`,
    { start, batch: BATCH },
  );
  await query(
    db,
    `insert into tokens (address, intent_number, account_id, environment, type, name, symbol, decimals, permissionless,
                         created_at, deployed_at)
     select contract, number, account_id, 'live', 'ERC20', 'Old', 'OLD', 18, true, created_at, created_at
       from intents where kind = 'deploy_token' and number between :start and :start::bigint + :intents - 1`,
    { start, intents },
  );
  await query(
    db,
    `insert into balances (account_id, meter, period, granted, committed)
     select account_id, meter, period, sum(committed), sum(committed)
       from ledger where intent_number between :start and :start::bigint + :intents - 1 group by 1, 2, 3`,
    { start, intents },
  );
  await query(db, 'vacuum analyze');
}
