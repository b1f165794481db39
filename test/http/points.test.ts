import { setImmediate as turnOfEventLoop, setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { readContract } from '../../src/http/document.ts';
import { until } from '../setup/until.ts';
import { ADDRESS, CREDENTIALS, INTENT_ID, refusal, send, serve } from '../../lab/stage/serve.ts';
import type { Answer, ServeOptions } from '../../lab/stage/serve.ts';
import { open as openSocket } from './socket.ts';

/** Requests count points by what they cost, and of the dear ones an account makes one at a time. */

const POINTS = 1_000;
/** Milliseconds in which the service notices that a client came, or left. */
const SOON_MS = 100;
const BATCH = `POST /v1/collections/${ADDRESS}/mint/batch`;
const preview = { name: 'Art', symbol: 'A' };
const batchOf = (items: number) => ({ items: Array.from({ length: items }, () => ({ to: ADDRESS })) });

const intent = { id: INTENT_ID, kind: 'batch_mint', status: 'queued', transaction: null } as const;
const handlers: NonNullable<ServeOptions['handlers']> = {
  previewMetadata: async () => ({ status: 200, body: { name: 'Art' } }),
  mintNftBatch: async () => ({ status: 202, body: { intent } }),
  setMetadata: async () => ({ status: 200, body: { success: true } }),
};

const left = ({ headers }: Answer): number => Number(/;r=(\d+);/.exec(headers.get('ratelimit') ?? '')?.[1]);

describe('a request counts', () => {
  test.each([
    ['1, a read', 'GET /me', undefined, 1],
    ['2, a write', 'PATCH /me', { walletAddress: null }, 2],
    ['5, a preview', 'POST /metadata/preview', preview, 5],
    ['1, a batch of one item', BATCH, batchOf(1), 1],
    ['100, a batch of a hundred', BATCH, batchOf(100), 100],
    ['2, a refused write', 'PATCH /me', { walletAddress: 5 }, 2],
    ['3, a refused batch of three items', BATCH, { items: [{}, {}, {}] }, 3],
    ['1, a refused batch without items', BATCH, {}, 1],
    ['7, a batch with a body of 100 kB', BATCH, { items: [{ to: 'x'.repeat(100_000) }] }, 7],
  ])('%s', async (_what, route, body, points) => {
    await using service = await serve({ config: { requestsPerMinute: POINTS }, handlers });
    const answer = await send(service, route, { as: route === BATCH ? 'live' : 'access', body });
    expect({ status: answer.status, left: left(answer) }).toMatchObject({ left: POINTS - points });
  });

  test('what its contract says, and at least what its method costs; none but two goes uncounted', () => {
    const { operations } = readContract();
    expect(operations.filter(({ isLimited }) => !isLimited).map(({ id }) => id)).toEqual([
      'getHealth',
      'getReady',
    ]);
    const declared = operations.filter(({ isDear }) => isDear);
    expect(declared.length).toBeGreaterThanOrEqual(4);
    for (const { id, method, points, isDear } of operations) {
      if (!isDear) expect({ id, points }).toEqual({ id, points: method === 'get' ? 1 : 2 });
    }
  });

  test('more than is left: it is refused, and its work is not done', async () => {
    let minted = 0;
    await using service = await serve({
      config: { requestsPerMinute: 10 },
      handlers: {
        mintNftBatch: async () => {
          minted += 1;
          return { status: 202, body: { intent } };
        },
      },
    });
    expect((await send(service, BATCH, { as: 'live', body: batchOf(10) })).status).toBe(202);
    expect((await send(service, BATCH, { as: 'otherLive', body: batchOf(11) })).status).toBe(429);
    expect(minted).toBe(1);
  });
});

describe('of previews and batches', () => {
  /** A service whose previews wait until they are told to go on. */
  async function serveGated() {
    const begun: string[] = [];
    const gates: (() => void)[] = [];
    const service = await serve({
      config: { requestsPerMinute: 100_000 },
      handlers: {
        previewMetadata: async ({ principal }) => {
          begun.push(principal.accountId);
          await new Promise<void>((open) => gates.push(open));
          return { status: 200, body: { name: 'Art' } };
        },
        mintNftBatch: async ({ principal, endTurn }) => {
          begun.push(`batch of ${principal.accountId}`);
          endTurn();
          await new Promise<void>((open) => gates.push(open));
          return { status: 202, body: { intent } };
        },
      },
    });
    return {
      service,
      begun,
      openAll: () => gates.splice(0).forEach((open) => open()),
      [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
    };
  }
  const [own, other] = [CREDENTIALS['access']!.accountId, CREDENTIALS['other']!.accountId];

  test('an account has one at a time, beside those of others', async () => {
    await using gated = await serveGated();
    const { service, begun, openAll } = gated;
    const ask = (as: string) => send(service, 'POST /metadata/preview', { as, body: preview });
    const answers = [ask('access'), ask('live'), ask('second')];
    await until(() => begun.length === 1);
    answers.push(ask('other'));
    await until(() => begun.length === 2);
    expect(begun).toEqual([own, other]);
    // Reads and other writes do not wait.
    expect((await send(service, 'GET /me', { as: 'access' })).status).toBe(200);
    openAll();
    await until(() => begun.length === 3);
    openAll();
    await until(() => begun.length === 4);
    openAll();
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  test('the next begins once a batch only waits for the chain', async () => {
    await using gated = await serveGated();
    const { service, begun, openAll } = gated;
    const answers = [1, 2].map(() => send(service, BATCH, { as: 'live', body: batchOf(1) }));
    await until(() => begun.length === 2);
    openAll();
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([202, 202]);
  });

  /** A preview whose client can leave. */
  function askAndLeave(url: string) {
    const leaving = new AbortController();
    const abandoned = fetch(`${url}/metadata/preview`, {
      method: 'POST',
      headers: { authorization: 'Bearer access', 'content-type': 'application/json' },
      body: JSON.stringify(preview),
      signal: leaving.signal,
    }).catch(() => undefined);
    return async () => {
      leaving.abort();
      await abandoned;
    };
  }

  test('the next does not begin before the work of one is over whose client is gone', async () => {
    await using gated = await serveGated();
    const { service, begun, openAll } = gated;
    const leave = askAndLeave(service.url);
    await until(() => begun.length === 1);
    const next = send(service, 'POST /metadata/preview', { as: 'access', body: preview });
    await leave();
    await sleep(SOON_MS);
    expect(begun).toHaveLength(1);
    openAll();
    await until(() => begun.length === 2);
    openAll();
    expect((await next).status).toBe(200);
  });

  test('one whose client is gone when its turn comes is not worked on', async () => {
    await using gated = await serveGated();
    const { service, begun, openAll } = gated;
    const ask = () => send(service, 'POST /metadata/preview', { as: 'access', body: preview });
    const first = ask();
    await until(() => begun.length === 1);
    const leave = askAndLeave(service.url);
    await sleep(SOON_MS);
    const last = ask();
    await sleep(SOON_MS);
    await leave();
    await sleep(SOON_MS);
    openAll();
    await until(() => begun.length === 2);
    openAll();
    expect((await Promise.all([first, last])).map(({ status }) => status)).toEqual([200, 200]);
    expect(begun).toHaveLength(2);
  });

  test('one that is refused leaves its turn, though nobody waits for its answer any more', async () => {
    await using gated = await serveGated();
    const { service, begun, openAll } = gated;
    const raw = (as: string, body: string) =>
      `POST /metadata/preview HTTP/1.1\r\nHost: mint.example\r\nAuthorization: Bearer ${as}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const socket = await openSocket(service);
    socket.write(raw('other', JSON.stringify(preview)) + raw('access', '{"name":5}'));
    await until(() => begun.length === 1);
    await sleep(SOON_MS);
    socket.destroy();
    const next = send(service, 'POST /metadata/preview', { as: 'access', body: preview });
    await until(() => begun.length === 2);
    openAll();
    expect((await next).status).toBe(200);
  });

  test('a hundred may wait, and what comes then is refused', async () => {
    await using gated = await serveGated();
    const { service, begun, openAll } = gated;
    const ask = () => send(service, 'POST /metadata/preview', { as: 'access', body: preview });
    const answers = Array.from({ length: 102 }, ask);
    const refused = await Promise.race(answers);
    expect(refused).toMatchObject({ status: 429, body: refusal('RATE_LIMITED', expect.any(String)) });
    const statuses = Promise.all(answers);
    const isOver = statuses.then(() => true);
    while (!(await Promise.race([isOver, turnOfEventLoop(false)]))) openAll();
    expect((await statuses).filter(({ status }) => status === 200)).toHaveLength(101);
    expect(begun).toHaveLength(101);
  });
});

describe('/openapi.yaml', () => {
  const read = (url: string, headers: Record<string, string>) => fetch(`${url}/openapi.yaml`, { headers });

  test('is packed for a client that takes gzip, and has a strong tag for each form', async () => {
    await using service = await serve();
    // fetch unpacks by itself; the length is that of what was sent.
    const [packed, plain] = [
      await read(service.url, { 'accept-encoding': 'gzip' }),
      await read(service.url, { 'accept-encoding': 'identity' }),
    ];
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    expect(plain.headers.get('content-encoding')).toBeNull();
    const size = ({ headers }: Response): number => Number(headers.get('content-length'));
    expect(size(packed)).toBeLessThan(size(plain) / 3);
    expect(await packed.text()).toBe(await plain.text());
    const tags = [packed, plain].map(({ headers }) => headers.get('etag'));
    expect(new Set(tags).size).toBe(2);
    for (const tag of tags) expect(tag).toMatch(/^"[\w-]+"$/);
    for (const { headers } of [packed, plain]) {
      expect(headers.get('vary')).toBe('Accept-Encoding');
      expect(headers.get('cache-control')).toBe('public, max-age=60');
    }
  });

  test('is 304 for a client that has it, and counts then too', async () => {
    await using service = await serve({ config: { anonymousRequestsPerMinute: 25 } });
    const first = await read(service.url, {});
    const again = await read(service.url, { 'if-none-match': first.headers.get('etag')! });
    expect([again.status, await again.text()]).toEqual([304, '']);
    expect(again.headers.get('ratelimit')).toMatch(/^"address";r=5;/);
    expect((await read(service.url, { 'if-none-match': '"another"' })).status).toBe(429);
    // What has no tag is never 304.
    const other = await fetch(`${service.url}/health`, { headers: { 'if-none-match': '*' } });
    expect(other.status).toBe(200);
  });
});
