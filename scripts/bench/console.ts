import type { Agent } from 'node:http';
import { query } from '../../src/db/client.ts';
import { makeCredential } from '../../lab/stage/credentials.ts';
import { administer, databaseUrl } from '../../lab/stage/template.ts';
import { fillConsole } from './fill-console.ts';
import type { Amounts, Filled } from './fill-console.ts';
import { get, openAgent, percentile, post } from '../../lab/load/http.ts';
import type { Reply } from '../../lab/load/http.ts';
import { startHardhat } from './nodes.ts';
import { mintOverHttp, startOwn } from './own.ts';
import type { OwnService } from './own.ts';
import type { Settings } from './settings.ts';
import { say } from '../lib/say.ts';
import { renderTable } from './table.ts';

/** @param scale share of the full numbers */
const amountsAt = (scale: number): Amounts => ({
  intents: 1_000_000 * scale,
  tokens: 100_000 * scale,
  collections: 10_000 * scale,
  nfts: 100_000 * scale,
  auditEntries: 1_000_000 * scale,
  deliveries: 500_000 * scale,
});
/** Of each request, in each run. */
const ROUNDS = 100;
const PAGE = 50;
const GOAL_MS = 300;
/** A request with a p95 below this has no row of its own. */
const SHOWN_FROM_MS = 5;

/** A request of one of the console's pages. */
interface Asked {
  page: string;
  path: string;
  /** How the table names it, where that is not the path. */
  name?: string;
  /** The page of the list, from 1. */
  nth?: number;
  /** GET when left out. */
  method?: 'GET' | 'POST';
}

interface Row extends Asked {
  p50: number;
  p95: number;
}

/** How long the service takes for each request of the console, for an account with long lists. */
export async function measureConsole({ postgresUrl, scale, runs }: Settings): Promise<string> {
  await administer(postgresUrl, 'create database console');
  const node = await startHardhat();
  const own = await startOwn(databaseUrl(postgresUrl, 'console'), node.url, 1);
  await mintOverHttp(own, { mints: 20, connections: 4, respondAsync: true });
  const [account] = await query<{ id: string }>(own.db, 'select id from accounts');
  const amounts = amountsAt(scale);
  const filled = await fillConsole(own.db, account!.id, amounts);
  const { secret: session } = await makeCredential(own.db, account!.id, 'session');
  const [intent] = await query<{ id: string }>(
    own.db,
    `select id from intents where kind = 'mint' order by number limit 1`,
  );
  const rows: Row[] = [];
  const agent = openAgent(1);
  for (const asked of listRequests(own.tokens[0]!.address, intent!.id, filled)) {
    const ask = createAsk(own, agent, session, asked);
    const path = await findPage(ask, asked);
    for (let round = 0; round < 10; round += 1) await ask(path);
    const times: number[] = [];
    for (let round = 0; round < ROUNDS * runs; round += 1) times.push((await ask(path)).milliseconds);
    const row = { ...asked, p50: percentile(times, 0.5), p95: percentile(times, 0.95) };
    say(`  ${describe(row)}: ${row.p50.toFixed(1)} ms, ${row.p95.toFixed(1)} ms`);
    rows.push(row);
  }
  agent.destroy();
  await own.stop();
  await node.stop();
  return render(rows, amounts);
}

/** Each list by its first page, by its 50th, and with each of its filters, for what is common, rare and not there. */
function listRequests(token: string, intent: string, { busy, gallery, webhook }: Filled): Asked[] {
  const list = (page: string, path: string, filters: readonly string[]): Asked[] => [
    { page, path },
    { page, path, nth: PAGE },
    ...filters.map((filter) => ({ page, path: `${path}?${filter}` })),
  ];
  const named = (page: string, name: string, path: string): Asked => ({ page, name, path });
  return [
    { page: 'every page', path: '/auth/token', method: 'POST' },
    ...['/v1/auth/me', '/network', '/ready'].map((path) => ({ page: 'every page', path })),
    ...['/stats', '/stats/gas', '/v1/billing/credits', '/intents?limit=10', '/audit?limit=10'].map(
      (path) => ({
        page: 'overview',
        path,
      }),
    ),
    ...list('tokens', '/tokens', [
      'type=ERC20',
      'type=ERC721',
      'search=coin',
      'search=needle',
      'search=nothing',
    ]),
    { page: 'tokens', path: '/tokens?search=coin', nth: PAGE },
    named('tokens', '/tokens?search={address}', `/tokens?search=${busy}`),
    named('token', '/tokens/{address}', `/tokens/${token}`),
    named('token', '/tokens/{address}/limits', `/tokens/${token}/limits`),
    named('token', '/tokens/{address}/metadata', `/tokens/${token}/metadata`),
    named('token', '/intents?contract={busy}', `/intents?contract=${busy}`),
    named('token', '/intents?contract={busy}&kind=mint', `/intents?contract=${busy}&kind=mint`),
    named('token', '/intents?contract={busy}&kind=pause', `/intents?contract=${busy}&kind=pause`),
    ...list('collections', '/v1/collections', ['search=coin', 'search=gallery', 'search=nothing']),
    named('collection', '/v1/collections/{address}', `/v1/collections/${gallery}`),
    named('collection', '/v1/collections/{address}/tokens', `/v1/collections/${gallery}/tokens`),
    {
      ...named('collection', '/v1/collections/{address}/tokens', `/v1/collections/${gallery}/tokens`),
      nth: PAGE,
    },
    ...list('intents', '/intents', [
      ...['open', 'confirmed', 'failed', 'cancelled'].map((status) => `status=${status}`),
      ...['mint', 'pause', 'deploy_token', 'create_collection', 'batch_mint'].map((kind) => `kind=${kind}`),
      ...['kind=mint&status=failed', 'kind=pause&status=failed', 'kind=deploy_token&status=failed'],
    ]),
    named('intent', '/intents/{id}', `/intents/${intent}`),
    named('intent', '/intents/{id}/timeline', `/intents/${intent}/timeline`),
    { page: 'keys', path: '/v1/api-keys' },
    { page: 'webhooks', path: '/v1/webhooks' },
    ...list('webhook', `/v1/webhooks/${webhook}/deliveries`, [
      'status=pending',
      'status=delivered',
      'status=failed',
    ]).map((asked) => ({ ...asked, name: asked.path.replace(webhook, '{id}') })),
    ...list('audit log', '/audit', ['action=write', 'action=sign_in', 'action=key_created']),
  ];
}

/** The collection API takes the cookie alone, the rest the access token, as the console sends them. */
function createAsk(
  own: OwnService,
  agent: Agent,
  session: string,
  { path, method }: Asked,
): (path: string) => Promise<Reply> {
  const takesCookie = path.startsWith('/v1/') || path.startsWith('/auth/');
  const headers: Record<string, string> = takesCookie
    ? { Cookie: `service_session=${session}` }
    : { Authorization: `Bearer ${own.tokens[0]!.token}` };
  return async (asked) => {
    const reply =
      method === 'POST'
        ? await post(agent, own.url + asked, {}, headers)
        : await get(agent, own.url + asked, headers);
    if (reply.status !== 200) throw new Error(`${asked}: ${reply.status} ${reply.body}\n${own.log()}`);
    return reply;
  };
}

/** The path of the page that is measured, with the cursor that leads to it. */
async function findPage(ask: (path: string) => Promise<Reply>, { path, nth = 1 }: Asked): Promise<string> {
  let asked = path;
  for (let page = 1; page < nth; page += 1) {
    const { nextCursor } = JSON.parse((await ask(asked)).body) as { nextCursor: string | null };
    if (nextCursor === null) throw new Error(`${path} has ${page} pages`);
    asked = `${path}${path.includes('?') ? '&' : '?'}cursor=${nextCursor}`;
  }
  return asked;
}

const describe = ({ method = 'GET', path, name = path, nth }: Asked): string =>
  `${method} ${name}${nth === undefined ? '' : `, page ${nth}`}`;

const count = (amount: number): string => amount.toLocaleString('en');

function render(rows: readonly Row[], amounts: Amounts): string {
  const shown = rows.filter(({ p95 }) => p95 > SHOWN_FROM_MS);
  const slow = rows.filter(({ p95 }) => p95 > GOAL_MS);
  const slowest = Math.max(...rows.map(({ p95 }) => p95)).toFixed(0);
  const lists =
    `${count(amounts.intents)} intents, ${count(amounts.tokens)} tokens, ${count(amounts.collections)} collections (one with ` +
    `${count(amounts.nfts)} NFTs), ${count(amounts.auditEntries)} entries in the audit log and a webhook with ${count(amounts.deliveries)} messages`;
  const verdict = slow.length === 0 ? `none above ${GOAL_MS} ms` : `${slow.length} above ${GOAL_MS} ms`;
  return `One account with ${lists}; one connection, pages of 20, times from sending to the end of the answer. ${rows.length} requests; the slowest p95 is ${slowest} ms, ${verdict}. With a p95 above ${SHOWN_FROM_MS} ms:\n\n${renderTable(
    [
      ['Page', ({ page }) => page],
      ['Request', describe],
      ['p50, ms', ({ p50 }) => p50.toFixed(1)],
      ['p95, ms', ({ p95 }) => p95.toFixed(1)],
    ],
    shown,
  )}`;
}
