import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import { createServer as createNetServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { once } from 'node:events';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createSend } from '../../src/features/webhooks/send.ts';
import type { Attempt, SendOptions } from '../../src/features/webhooks/send.ts';
import { isPublicAddress, readTarget } from '../../src/features/webhooks/target.ts';

/** At least one address of every range that is not public. */
const NOT_PUBLIC = [
  ['this host', '0.0.0.0', '0.1.2.3', '::'],
  ['loopback', '127.0.0.1', '127.255.255.254', '::1'],
  ['private', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fd12:3456::1'],
  ['link-local', '169.254.1.1', 'fe80::1', 'febf::1'],
  ['site-local', 'fec0::1'],
  ['metadata', '169.254.169.254', '100.100.100.200', '192.0.0.192', '168.63.129.16', 'fd00:ec2::254'],
  ['shared by a provider', '100.64.0.1', '100.127.255.255'],
  ['multicast', '224.0.0.1', '239.255.255.255', 'ff02::1'],
  ['broadcast and reserved', '255.255.255.255', '240.0.0.1', '192.0.0.1', '198.18.0.1'],
  ['documentation', '192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
  [
    'IPv4 in IPv6',
    '::ffff:10.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '::127.0.0.1',
    '::ffff:0:10.0.0.1',
  ],
  ['NAT64', '64:ff9b::10.0.0.1', '64:ff9b::8.8.8.8', '64:ff9b:1::1'],
  ['6to4 and Teredo', '2002:7f00:1::', '2002:a00:1::', '2001::1', '2001:0:1::1'],
  ['discard', '100::1'],
  ['not given to anybody, outside of 2000::/3', '1::1', '400::1', '1fff::1', '4000::1', '8000::1', 'e000::1'],
  ['no address', '', 'localhost', '999.1.1.1', '1.2.3.4.5'],
] as const;

describe('an address', () => {
  test.each(NOT_PUBLIC)('%s is not public', (_name, ...addresses) => {
    expect(addresses.filter(isPublicAddress)).toEqual([]);
  });

  test('on the internet is public', () => {
    const addresses = ['8.8.8.8', '1.1.1.1', '93.184.215.14', '172.32.0.1', '100.128.0.1', '2606:4700::1111'];
    expect(addresses.filter(isPublicAddress)).toEqual(addresses);
  });
});

describe('a URL', () => {
  test.each([
    ['http://shop.example/', /https/],
    ['ftp://shop.example/', /https/],
    ['https://user@shop.example/', /user name/],
    ['https://:word@shop.example/', /password/],
    ['https://shop.example/#a', /fragment/],
    ['https://shop.example:22/', /port/],
    ['https://shop.example:0/', /port/],
    ['https://127.0.0.1/', /public/],
    ['https://127.1/', /public/],
    ['https://2130706433/', /public/],
    ['https://0x7f.0.0.1/', /public/],
    ['https://0177.0.0.1/', /public/],
    ['https://[::1]/', /public/],
    ['https://[::ffff:127.0.0.1]/', /public/],
    ['https://[64:ff9b::a00:1]/', /public/],
    ['https://169.254.169.254/latest/meta-data/', /public/],
    ['https://１２７.0.0.1/', /public/],
    ['https://localhost/', /public/],
    ['https://localhost./', /public/],
    ['https://LOCALHOST/', /public/],
    ['https://a.localhost:8080/', /public/],
    ['not a url', /URL/],
  ])('%s is refused', (url, why) => {
    expect(() => readTarget(url, false)).toThrow(why);
  });

  test('has a maximal length', () => {
    expect(() => readTarget(`https://shop.example/${'a'.repeat(2_048)}`, false)).toThrow(/2,048/);
    // As it is stored: each of these takes three characters.
    expect(() => readTarget(`https://shop.example/${'{'.repeat(1_000)}`, false)).toThrow(/2,048/);
  });

  test.each([
    ['https://shop.example', 'https://shop.example/'],
    ['https://shop.example:8443/a?b=c', 'https://shop.example:8443/a?b=c'],
    ['https://1.1.1.1/hook', 'https://1.1.1.1/hook'],
    ['https://[2606:4700::1111]/', 'https://[2606:4700::1111]/'],
  ])('%s is accepted', (url, taken) => {
    expect(readTarget(url, false)).toBe(taken);
  });

  test('of the private network or over http is accepted where the operator allows it, without password and with usual ports only', () => {
    expect(readTarget('http://127.0.0.1:4000/hook', true)).toBe('http://127.0.0.1:4000/hook');
    expect(readTarget('https://10.0.0.1/', true)).toBe('https://10.0.0.1/');
    expect(() => readTarget('http://a:b@127.0.0.1/', true)).toThrow(/password/);
    expect(() => readTarget('http://127.0.0.1:25/', true)).toThrow(/port/);
  });
});

describe('sending', () => {
  const servers: { close(): void; closeAllConnections?: () => void }[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections?.();
      server.close();
    }
  });

  /** Counts the connections that reach it. */
  const serve = async (
    listener: RequestListener,
    host = '127.0.0.1',
    port = 0,
  ): Promise<{ port: number; connections: () => number }> => {
    let count = 0;
    const server: Server = createServer(listener).on('connection', () => (count += 1));
    server.listen(port, host);
    servers.push(server);
    await once(server, 'listening');
    return { port: (server.address() as AddressInfo).port, connections: () => count };
  };
  const send = (url: string, options: SendOptions): Promise<Attempt> =>
    createSend(options)({ url, headers: { 'webhook-id': '1' }, body: '{}' }, new AbortController().signal);

  test('connects to public addresses only, whatever a name resolves to', async () => {
    const { port, connections } = await serve((_request, response) => response.end());
    for (const [, ...addresses] of NOT_PUBLIC.slice(0, -1)) {
      for (const address of addresses) {
        const attempt = await send(`http://rebound.example:${port}/`, {
          allowPrivate: false,
          resolve: async () => [address],
        });
        expect(attempt).toEqual({ status: null, error: 'The host has an address that is not public' });
      }
    }
    const mixed = await send(`http://rebound.example:${port}/`, {
      allowPrivate: false,
      resolve: async () => ['8.8.8.8', '127.0.0.1'],
    });
    expect(mixed.error).toBe('The host has an address that is not public');
    const literal = await send(`http://127.0.0.1:${port}/`, { allowPrivate: false });
    expect(literal.error).toBe('The host has an address that is not public');
    expect(connections()).toBe(0);
  });

  test('resolves a name once, and connects to that address', async () => {
    // 127.0.0.2 stands for a public address here: tests connect to this machine only.
    const isAllowed = (address: string): boolean => address === '127.0.0.2';
    const wrong = await serve((_request, response) => response.end());
    const right = await serve((_request, response) => response.writeHead(204).end(), '127.0.0.2', wrong.port);
    const answers = [['127.0.0.2'], ['127.0.0.1']];
    let asked = 0;
    const resolve = async (): Promise<string[]> => answers[asked++]!;
    const url = `http://rebound.example:${wrong.port}/`;
    expect(await send(url, { allowPrivate: false, isAllowed, resolve })).toEqual({
      status: 204,
      error: null,
    });
    expect([asked, right.connections(), wrong.connections()]).toEqual([1, 1, 0]);
    expect(await send(url, { allowPrivate: false, isAllowed, resolve })).toMatchObject({ status: null });
    expect([asked, right.connections(), wrong.connections()]).toEqual([2, 1, 0]);
  });

  test('connects to the resolved address, and sends the host name', async () => {
    let host: string | undefined;
    const { port } = await serve((request, response) => {
      host = request.headers.host;
      response.writeHead(202).end('thanks');
    });
    const options = { allowPrivate: true, resolve: async () => ['127.0.0.1'] };
    const attempt = await send(`http://receiver.example:${port}/a?b=c`, options);
    expect(attempt).toEqual({ status: 202, error: null });
    expect(host).toBe(`receiver.example:${port}`);
  });

  test('gives up when connecting takes too long', async () => {
    const resolve = () => new Promise<string[]>((done) => setTimeout(() => done(['127.0.0.1']), 400));
    const attempt = await send('http://slow.example/', { allowPrivate: true, resolve, connectMs: 100 });
    expect(attempt.error).toBe('There was no connection within 0.1 seconds');
  });

  test('gives up when the receiver does not speak TLS', async () => {
    // Nothing reads from its connections, so they would not end by themselves.
    const keep = (socket: Socket): void => void servers.push({ close: () => socket.destroy() });
    const silent = createNetServer(keep).listen(0, '127.0.0.1');
    servers.push(silent);
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const quiet = await send(`https://127.0.0.1:${port}/`, { allowPrivate: true, connectMs: 200 });
    expect(quiet.error).toBe('There was no connection within 0.2 seconds');
    const plain = await serve((_request, response) => response.end());
    const wrong = await send(`https://127.0.0.1:${plain.port}/`, { allowPrivate: true });
    expect(wrong).toMatchObject({ status: null, error: expect.stringMatching(/TLS/) });
  });

  test.each<[string, RequestListener]>([
    ['never answers', () => undefined],
    ['never ends its answer', (_request, response) => void response.writeHead(200).write('a')],
    [
      'answers drop by drop',
      (_request, response) => {
        response.writeHead(200);
        const timer = setInterval(() => response.write('a'), 20);
        response.on('close', () => clearInterval(timer));
      },
    ],
  ])('gives up a receiver that %s', async (_name, listener) => {
    const { port } = await serve(listener);
    const startedAt = Date.now();
    const attempt = await send(`http://127.0.0.1:${port}/`, { allowPrivate: true, totalMs: 300 });
    expect(attempt).toEqual({ status: null, error: 'There was no whole answer within 0.3 seconds' });
    expect(Date.now() - startedAt).toBeLessThan(60_000);
  });

  test('stops reading a long answer', async () => {
    let written = 0;
    const { port } = await serve((_request, response) => {
      response.writeHead(200);
      const more = (): void => {
        while (!response.destroyed && written < 1e9) {
          written += 65_536;
          if (!response.write(Buffer.alloc(65_536))) break;
        }
      };
      response.on('drain', more);
      more();
    });
    const attempt = await send(`http://127.0.0.1:${port}/`, { allowPrivate: true });
    expect(attempt).toEqual({ status: 200, error: null });
    expect(written).toBeLessThan(50e6);
  });

  test('describes each failure in one plain sentence', async () => {
    const { port } = await serve((request) => request.socket.destroy());
    expect((await send(`http://127.0.0.1:${port}/`, { allowPrivate: true })).error).toBe(
      'The connection was closed before the answer',
    );
    expect((await send('http://127.0.0.1:1/', { allowPrivate: true })).error).toBe(
      'The connection was refused',
    );
    const nothing = { allowPrivate: false, resolve: async () => [] };
    expect((await send('https://nobody.example/', nothing)).error).toBe('The host name has no address');
  });

  test('rejects when it is aborted', async () => {
    const { port } = await serve(() => undefined);
    const stop = new AbortController();
    const sending = createSend({ allowPrivate: true })(
      { url: `http://127.0.0.1:${port}/`, headers: {}, body: '{}' },
      stop.signal,
    );
    setTimeout(() => stop.abort(), 100);
    await expect(sending).rejects.toThrow(/abort/);
  });
});
