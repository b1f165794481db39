import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { findFreePort } from '../../src/embedded/free-port.ts';
import { until } from '../setup/until.ts';
import { createAuthority } from '../../lab/stage/authority.ts';
import type { Authority } from '../../lab/stage/authority.ts';
import { findProgram } from '../../lab/stage/program.ts';
import { askSite, startNginx } from '../../lab/stage/nginx.ts';

const program = await findProgram('nginx', 'nginx-light');
const openssl = await findProgram('openssl', 'openssl');

const NO_ANSWER = {
  status: 503,
  body: {
    code: 'NOT_READY',
    message:
      'The service gave no answer. A write may have been accepted: repeat it with the same Idempotency-Key.',
  },
  headers: { 'retry-after': '2', 'content-type': 'application/json' },
};

(program && openssl ? describe : describe.skip)('ops/nginx.conf', () => {
  let authority: Authority;
  beforeAll(async () => {
    authority = await createAuthority(openssl!);
  });
  afterAll(() => authority?.close());

  /** Two replicas that do the same behind nginx; without `listener` nobody listens. */
  async function open(listener: RequestListener | null, changes: Record<string, string> = {}) {
    await using stack = new AsyncDisposableStack();
    const listen = async (): Promise<number> => {
      if (!listener) return findFreePort();
      const server = createServer(listener).listen(0, '127.0.0.1');
      await once(server, 'listening');
      stack.defer(async () => {
        server.closeAllConnections();
        server.close();
      });
      return (server.address() as AddressInfo).port;
    };
    const ports = [await listen(), await listen()] as const;
    const nginx = stack.use(await startNginx(program!, { ports, authority, changes }));
    const site = { url: nginx.url, ca: readFileSync(authority.file, 'utf8') };
    const ask = (method: string, body?: unknown) => askSite(site, method, '/tokens', { body });
    await until(() =>
      ask('GET').then(
        () => true,
        () => false,
      ),
    );
    const opened = stack.move();
    return { ask, site, keptBodies: nginx.keptBodies, [Symbol.asyncDispose]: () => opened.disposeAsync() };
  }

  test('without a replica the answer is an error of the service', async () => {
    await using site = await open(null);
    expect(await site.ask('GET')).toMatchObject(NO_ANSWER);
    expect(await site.ask('POST', {})).toMatchObject(NO_ANSWER);
  });

  test('a write whose replica ends without an answer is not sent again, and is not said to have failed', async () => {
    let posts = 0;
    await using site = await open((request, response) => {
      if (request.method === 'GET') return void response.end();
      posts += 1;
      request.socket.destroy();
    });
    expect(await site.ask('POST', {})).toMatchObject(NO_ANSWER);
    expect(posts).toBe(1);
  });

  test('likewise one whose answer takes too long', async () => {
    let posts = 0;
    const changes = { 'proxy_read_timeout 90s;': 'proxy_read_timeout 1s;' };
    await using site = await open((request, response) => {
      if (request.method === 'GET') return void response.end();
      posts += 1;
    }, changes);
    expect(await site.ask('POST', {})).toMatchObject(NO_ANSWER);
    expect(posts).toBe(1);
  });

  test.each([502, 503, 504, 429])('an answer of the service with %i passes as it is', async (status) => {
    const body = { code: 'CHAIN_ERROR', message: 'of the service' };
    await using site = await open((_request, response) => {
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    });
    expect(await site.ask('POST', {})).toMatchObject({ status, body });
  });

  test('a thousand writes of one address may wait', async () => {
    const waiting: (() => void)[] = [];
    await using site = await open((request, response) => {
      const answer = (): void => void response.end();
      if (request.method === 'GET') answer();
      else waiting.push(answer);
    });
    const asked: ReturnType<typeof site.ask>[] = [];
    // Not all at once: client and replicas are one busy process, and nginx waits for 2 s to be let in by a replica.
    while (asked.length < 1_000) {
      asked.push(...Array.from({ length: 50 }, () => site.ask('POST', {})));
      await until(() => waiting.length === asked.length);
    }
    waiting.forEach((answer) => answer());
    expect(new Set((await Promise.all(asked)).map(({ status }) => status))).toEqual(new Set([200]));
  });

  test('a body that is refused by its headers is answered before it has come, and none is on the disk', async () => {
    await using opened = await open((request, response) => {
      response.writeHead(request.method === 'GET' ? 200 : 401, { Connection: 'close' }).end();
    });
    const { url, ca } = opened.site;
    const unfinished = Array.from({ length: 10 }, async () => {
      const headers = { Host: 'mint.example', 'Content-Length': '1900000' };
      const options = { method: 'POST', ca, servername: 'mint.example', agent: false, headers };
      const request = https.request(`${url}/tokens`, options);
      request.on('error', () => undefined);
      request.write('x'.repeat(100_000));
      const [{ statusCode }] = (await once(request, 'response')) as [IncomingMessage];
      return { request, statusCode };
    });
    const answers = await Promise.all(unfinished);
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(answers.map(() => 401));
    expect(await opened.keptBodies()).toEqual([]);
    for (const { request } of answers) request.destroy();
  });

  test('what goes beyond the limit of connections, or of bodies, is told so', async () => {
    const waiting: (() => void)[] = [];
    const changes = { 'limit_conn mintmark_connections 2000;': 'limit_conn mintmark_connections 1;' };
    await using site = await open((request, response) => {
      const answer = (): void => void response.end();
      if (request.method === 'GET') answer();
      else waiting.push(answer);
    }, changes);
    const first = site.ask('POST', {});
    await until(() => waiting.length === 1);
    expect(await site.ask('GET')).toMatchObject({
      status: 429,
      body: { code: 'RATE_LIMITED' },
      headers: { 'retry-after': '1' },
    });
    waiting.forEach((answer) => answer());
    expect((await first).status).toBe(200);
    expect(await site.ask('POST', 'x'.repeat(3_000_000))).toMatchObject({
      status: 422,
      body: { code: 'VALIDATION_ERROR', message: 'The body is too large.' },
    });
  });
});
