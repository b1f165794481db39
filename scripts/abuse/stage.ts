import { startAnvil } from '../../lab/stage/anvil.ts';
import type { Anvil, AnvilOptions } from '../../lab/stage/anvil.ts';
import { waitForQuiet } from '../../lab/faults/books.ts';
import { heightOf } from '../../lab/faults/node-faults.ts';
import { startRpcProxy } from '../../lab/proxies/rpc-proxy.ts';
import type { Layer } from '../../lab/proxies/rpc/endpoint.ts';
import { createTestDatabase } from '../../lab/stage/database.ts';
import { startProduction } from '../../lab/stage/production.ts';
import type { Production, Registered } from '../../lab/stage/production.ts';
import type { TestAnswer } from '../../lab/stage/tokens.ts';

const INVITES = 40;
const QUIET_MS = 300_000;

/** Who asks: `address` is where the proxy in front says that the request comes from. */
export interface Caller {
  token: string;
  /** Value of the session cookie; null for an API key. */
  cookie: string | null;
  address: string;
}

/** An account. */
export type Client = Registered & { address: string };

/** The service behind a proxy; nobody else is on the machine. */
export interface Stage extends Pick<Production, 'url' | 'port' | 'pid' | 'db' | 'invite'> {
  anvil: Anvil;
  /** Registers an account of plan BASIC, with an address of its own, and signs it in. */
  register(): Promise<Client>;
  /** Asks as an account or key; paths of the collection API with the cookie, if there is one. */
  ask(
    caller: Caller,
    method: 'GET' | 'POST' | 'PUT',
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<TestAnswer>;
}

export interface StageOptions {
  variables?: Record<string, string>;
  node?: AnvilOptions;
  /** What stands between the service and its node. */
  layer?: Layer;
}

/** Answers a write as soon as it is durable. */
export const ASYNC = { Prefer: 'respond-async' };

/** Runs an attack on a service with a node, a database and limits of its own. */
export async function withStage<Made>(
  { variables = {}, node = { blockTimeSeconds: 1 }, layer }: StageOptions,
  work: (stage: Stage) => Promise<Made>,
): Promise<Made> {
  await using database = await createTestDatabase();
  await using anvil = await startAnvil(node);
  await using proxy = layer ? await startRpcProxy({ target: anvil.url, faultFor: () => null }) : null;
  if (layer) proxy?.endpoint.layers.unshift(layer);
  await using service = await startProduction({
    ...{ databaseUrl: database.url, rpcUrl: proxy?.url ?? anvil.url, invites: INVITES },
    // Attackers and others differ by what the proxy says.
    variables: { TRUST_PROXY: '1', ...variables },
  });
  const { url, port, pid, db, invite } = service;
  const ask: Stage['ask'] = ({ token, cookie, address }, method, route, body, headers = {}) => {
    const hasCookie = cookie !== null && route.startsWith('/v1/');
    return service.ask(hasCookie ? null : { token }, method, route, body, {
      'X-Forwarded-For': address,
      ...(hasCookie && { Cookie: `service_session=${cookie}` }),
      ...headers,
    });
  };
  const register = async (): Promise<Client> => {
    const address = nextAddress();
    return { ...(await service.register({ 'X-Forwarded-For': address })), address };
  };
  return await work({ url, port, pid, db, invite, anvil, ask, register });
}

let lastAddress = 0;
/** Of the networks for measurements (RFC 2544), those that attackers do not use. */
function nextAddress(): string {
  lastAddress += 1;
  return `198.18.${lastAddress >> 8}.${lastAddress & 255}`;
}

/** Deploys a token. Returns its address. */
export async function deploy(
  { ask }: Stage,
  caller: Caller,
  type: 'ERC20' | 'ERC721' = 'ERC20',
): Promise<string> {
  const { status, body } = await ask(caller, 'POST', '/tokens', { type, name: 'Coin', symbol: 'C' });
  if (status !== 200) throw new Error(`a deployment was answered ${status}: ${JSON.stringify(body)}`);
  return (body as { data: { address: string } }).data.address;
}

/** Makes an API key. Null when it is refused. */
export async function createKey(
  { ask }: Stage,
  client: Client,
  environment: 'live' | 'sandbox' = 'live',
): Promise<Caller | null> {
  const { body } = await ask(client, 'POST', '/v1/api-keys', { name: 'a key', environment });
  const { key } = body as { key?: string };
  return key === undefined ? null : { token: key, cookie: null, address: client.address };
}

/** Waits until every intent has its verdict. */
export async function quiet({ db }: Stage): Promise<void> {
  const open = await waitForQuiet(db, QUIET_MS);
  if (open > 0) throw new Error(`${open} intents have no verdict after ${QUIET_MS / 1_000} s`);
}

/** Gas of all transactions of the work, with what it returned. */
export async function gasOf<Made>({ anvil }: Stage, work: () => Promise<Made>): Promise<[number, Made]> {
  const first = (await heightOf(anvil)) + 1;
  const made = await work();
  const last = await heightOf(anvil);
  let gas = 0;
  for (let block = first; block <= last; block += 1) {
    const { gasUsed } = await anvil.call<{ gasUsed: string }>('eth_getBlockByNumber', [
      `0x${block.toString(16)}`,
      false,
    ]);
    gas += Number(gasUsed);
  }
  return [gas, made];
}

/** How many answers had each status, as "100 × 202, 3 × 429". */
export function showStatuses(statuses: Readonly<Record<string, number>>): string {
  const shown = Object.entries(statuses).map(
    ([status, count]) => `${count.toLocaleString('en')} × ${status}`,
  );
  return shown.join(', ');
}

/** One sentence when there were other statuses than these. */
export function checkStatuses(
  statuses: Readonly<Record<string, number>>,
  expected: readonly (number | string)[],
): string[] {
  const others = Object.entries(statuses).filter(([status]) => !expected.map(String).includes(status));
  return others.length === 0
    ? []
    : [`answers that nobody expects: ${showStatuses(Object.fromEntries(others))}`];
}
