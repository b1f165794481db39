import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRpc } from '../../src/chain/rpc/rpc.ts';
import { query } from '../../src/db/client.ts';
import type { Db } from '../../src/db/client.ts';
import { inParallel } from '../../lab/load/load.ts';
import { startProduction } from '../../lab/stage/production.ts';
import type { Production, ProductionOptions } from '../../lab/stage/production.ts';
import { openAgent, post } from '../../lab/load/http.ts';

const OWNERS = ['0x3440326f551B8A7ee198cEE35cb5D517f2d296a2', '0x5dad7600C5D89fE3824fFa99ec1c3eB8BF3b0501'];

/** A token of an account, and what its account shows the service. */
export interface OwnToken {
  token: string;
  /** The cookie of its session. */
  session: string;
  address: string;
  type: 'ERC20' | 'ERC721';
}

/** The service as it runs in production, with accounts that have a token each. */
export interface OwnService extends Pick<Production, 'url' | 'pid' | 'db' | 'log'> {
  tokens: OwnToken[];
  stop(): Promise<void>;
}

interface OwnOptions extends Pick<ProductionOptions, 'variables' | 'args' | 'main'> {
  /** Of the tokens. */
  type?: 'ERC20' | 'ERC721';
}

/** Limits that no run meets. */
export const UNLIMITED = {
  LOG_LEVEL: 'warn',
  REQUESTS_PER_MINUTE: '1000000',
  ANONYMOUS_REQUESTS_PER_MINUTE: '1000000',
  PASSWORDS_PER_ADDRESS: '1000000',
};

export async function startOwn(
  databaseUrl: string,
  rpcUrl: string,
  accounts: number,
  { variables = {}, type = 'ERC20', ...options }: OwnOptions = {},
): Promise<OwnService> {
  const service = await startProduction({
    ...{ databaseUrl, rpcUrl, invites: accounts, ...options },
    variables: { ...UNLIMITED, ...variables },
  });
  const { url, pid, db, log } = service;
  const tokens: OwnToken[] = [];
  await inParallel(accounts, 4, async () => {
    const { email, token, cookie } = await service.register();
    await query(db, `update accounts set plan = 'PRO_PLUS' where email = :email`, { email });
    const made = await service.ask({ token }, 'POST', '/tokens', { type, name: 'Coin', symbol: 'C' });
    if (made.status !== 200) throw new Error(`${made.status} ${JSON.stringify(made.body)}\n${log()}`);
    const { address } = (made.body as { data: { address: string } }).data;
    tokens.push({ token, session: `service_session=${cookie}`, address, type });
  });
  return { url, pid, db, log, tokens, stop: async () => service[Symbol.asyncDispose]() };
}

interface OwnRun {
  mints: number;
  /** Seconds from the first request to the last confirmation. */
  seconds: number;
  /** Milliseconds of each answer. */
  answers: number[];
  /** Milliseconds from acceptance to confirmation of each intent, by the database's clock. */
  confirmations: number[];
}

/** A write, as HTTP says it. */
interface OwnRequest {
  path: string;
  headers: Record<string, string>;
  body: object;
}

/** A mint. Recipients have a balance after the first. */
const mintOf = ({ token, address, type }: OwnToken, index: number): OwnRequest => ({
  path: `/tokens/${address}/mint`,
  headers: { Authorization: `Bearer ${token}` },
  body: { owner: OWNERS[index % OWNERS.length], ...(type === 'ERC20' ? { amount: '1' } : {}) },
});

export interface Load {
  mints: number;
  connections: number;
  respondAsync: boolean;
  /** Of each mint. */
  requestOf?: (token: OwnToken, index: number) => OwnRequest;
  /** Addresses of the processes that share the requests; left out for that of the service. */
  urls?: readonly string[];
}

/** Mints over HTTP, `connections` at a time, and waits for the last verdict. */
export async function mintOverHttp(
  { url, db, tokens, log }: OwnService,
  { mints, connections, respondAsync, requestOf = mintOf, urls = [url] }: Load,
): Promise<OwnRun> {
  const agent = openAgent(connections);
  const [before] = await query<{ last: bigint }>(db, 'select coalesce(max(number), 0) as last from intents');
  const answers: number[] = [];
  const startedAt = performance.now();
  await inParallel(mints, connections, async (index) => {
    const { path, headers, body } = requestOf(tokens[index % tokens.length]!, index);
    const reply = await post(agent, `${urls[index % urls.length]}${path}`, body, {
      ...headers,
      ...(respondAsync ? { Prefer: 'respond-async' } : {}),
    });
    if (reply.status !== (respondAsync ? 202 : 200)) {
      throw new Error(`${reply.status} ${reply.body}\n${log()}`);
    }
    answers.push(reply.milliseconds);
  });
  for (;;) {
    // Asks what costs the measured database least.
    const [left] = await query<{ open: boolean }>(
      db,
      // The queue last, and so only when nothing is sent: no index has it in every version's schema.
      `select exists (select 1 from transactions where status in ('open', 'mined'))
           or exists (select 1 from intents where status = 'queued') as open`,
    );
    if (!left!.open) break;
    await sleep(20);
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  agent.destroy();
  const rows = await query<{ status: string; ms: number }>(
    db,
    `select status, extract(epoch from updated_at - created_at)::float8 * 1000 as ms from intents where number > :last`,
    { last: String(before!.last) },
  );
  const wrong = rows.filter(({ status }) => status !== 'confirmed').length;
  if (rows.length !== mints || wrong > 0) throw new Error(`${rows.length} intents, ${wrong} not confirmed`);
  return { mints, seconds, answers, confirmations: rows.map(({ ms }) => ms) };
}

/** Process id of the server behind a connection. */
export async function findPostmaster(db: Db): Promise<number> {
  const [backend] = await query<{ pid: number }>(db, 'select pg_backend_pid() as pid');
  const status = await readFile(`/proc/${backend!.pid}/status`, 'utf8');
  return Number(/PPid:\s+(\d+)/.exec(status)?.[1]);
}

/** Reads GET /metrics once. Returns the sum of a figure over its labels, by its name. */
export async function readMetrics(url: string): Promise<(name: string) => number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return (name) =>
    [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\d+)`, 'gm'))].reduce(
      (total, match) => total + Number(match[1]),
      0,
    );
}

/** JSON-RPC calls and database round trips since the start. */
export async function readCounters(url: string): Promise<{ rpcCalls: number; roundTrips: number }> {
  const sum = await readMetrics(url);
  return {
    rpcCalls: sum('mintmark_rpc_calls_total'),
    roundTrips: sum('mintmark_database_round_trips_total'),
  };
}

/** Gas a mint over all transactions with mints alone, from their receipts. */
export async function gasPerMint(db: Db, rpcUrl: string): Promise<number> {
  const rows = await query<{ hash: string; mints: number }>(
    db,
    `select '0x' || encode(t.mined_hash, 'hex') as hash, count(*)::int as mints
       from transactions t join transaction_intents m on m.transaction_id = t.id
       join intents i on i.number = m.intent_number
      where t.mined_hash is not null group by t.id having bool_and(i.kind = 'mint')`,
  );
  using rpc = createRpc([rpcUrl]);
  const receipts = await Promise.all(
    rows.map(({ hash }) => rpc.call<{ gasUsed: string }>('eth_getTransactionReceipt', [hash])),
  );
  const gas = receipts.reduce((sum, { gasUsed }) => sum + Number(gasUsed), 0);
  return Math.round(gas / rows.reduce((sum, { mints }) => sum + mints, 0));
}
