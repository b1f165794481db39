import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** A TCP proxy in front of PostgreSQL, on 127.0.0.1. */
export interface PostgresProxy extends AsyncDisposable {
  /** The target's connection string, with the proxy in its place. */
  url: string;
  port: number;
  /** Connections that are open on either side. */
  open(): number;
  /**
   * Accepts and acknowledges, and passes nothing on in either direction, as a machine whose kernel outlived it. What
   * arrives is held, and passed on by `speak`.
   */
  silence(): void;
  /**
   * The same for ever for what is connected now, as a firewall does that forgot the connections; new ones work. The
   * server loses the forgotten ones after a minute, as by the keepalives that each connection asks it for.
   */
  forget(): void;
  /** Ends `silence`. Forgotten connections stay silent. */
  speak(): void;
  /** Resets what is connected; new connections work. */
  cut(): void;
  /** Resets what is connected, and refuses new connections until `accept`. */
  refuse(): void;
  accept(): void;
  /** Resets what is connected; new connections lead to this server. */
  switchTo(url: string): void;
  stop(): Promise<void>;
}

/** After so long without an answer to its keepalives PostgreSQL gives a connection up, as our connections set it. */
const KEEPALIVE_MS = 60_000;

type State = 'passing' | 'held' | 'forgotten';

interface Link {
  state: State;
  /** What waits for the end of a silence, in the order of its arrival. */
  held: (() => void)[];
  sockets: Socket[];
}

/** @param target connection string of the server, with a host and a port */
export async function startPostgresProxy(target: string): Promise<PostgresProxy> {
  const links = new Set<Link>();
  let [isSilent, isRefusing] = [false, false];
  let upstream = new URL(target);

  const server = createServer((client) => {
    if (isRefusing) return void client.resetAndDestroy();
    const link: Link = { state: isSilent ? 'held' : 'passing', held: [], sockets: [client] };
    links.add(link);
    // The other side learns of it when it may: until then its connection is open, and can still be cut.
    client.once('close', () => pass(link, () => void links.delete(link)));
    const { hostname, port } = upstream;
    // A held connection is opened on the other side when the silence ends.
    pass(link, () => join(link, client, Number(port || 5432), hostname));
    client.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  const cut = (): void => {
    for (const link of links) for (const socket of link.sockets) socket.resetAndDestroy();
    links.clear();
  };
  const stop = async (): Promise<void> => {
    cut();
    server.close();
    await once(server, 'close');
  };
  return {
    url: throughPort(target, port),
    port,
    open: () => links.size,
    silence: () => {
      isSilent = true;
      for (const link of links) if (link.state === 'passing') link.state = 'held';
    },
    forget: () => {
      for (const link of links) forgetLink(link);
    },
    speak: () => {
      isSilent = false;
      for (const link of links) if (link.state === 'held') release(link);
    },
    cut,
    refuse: () => {
      isRefusing = true;
      cut();
    },
    accept: () => {
      isRefusing = false;
    },
    switchTo: (url) => {
      upstream = new URL(url);
      cut();
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function throughPort(url: string, port: number): string {
  const own = new URL(url);
  own.hostname = '127.0.0.1';
  own.port = String(port);
  return own.href;
}

/** Does it now, at the end of the silence, or never. */
function pass(link: Link, action: () => void): void {
  if (link.state === 'passing') action();
  else if (link.state === 'held') link.held.push(action);
}

function forgetLink(link: Link): void {
  link.state = 'forgotten';
  const [, server] = link.sockets;
  setTimeout(() => server?.resetAndDestroy(), KEEPALIVE_MS).unref();
}

function release(link: Link): void {
  link.state = 'passing';
  for (const action of link.held.splice(0)) action();
}

function join(link: Link, client: Socket, port: number, host: string): void {
  if (client.destroyed) return;
  const server = connect(port, host);
  link.sockets.push(server);
  for (const [from, to] of [
    [client, server],
    [server, client],
  ] as const) {
    from.on('data', (chunk) => pass(link, () => void to.write(chunk)));
    from.on('end', () => pass(link, () => void to.end()));
    from.on('close', () => pass(link, () => void to.destroy()));
  }
  server.on('error', () => client.destroy());
}
