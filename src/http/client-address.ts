import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { setBounded } from '../lib/bounded-map.ts';

/** As much of a request as tells where it comes from. */
interface Client {
  /** Of the connection, or as a trusted proxy says. */
  ip?: string | undefined;
  socket: { remoteAddress?: string | undefined };
}

/** Some proxies add the port, and put an IPv6 address in brackets then. */
const WITH_PORT = /^(?:\[(?<v6>[^\]]*)\]|(?<v4>[\d.]+))(?::\d{1,5})?$/;

/** A client as the audit log keeps it, and as limits count it. */
interface Names {
  address: string;
  network: string;
}

/** The address of a client, as the audit log keeps it. */
export function addressOf(client: Client): string {
  return namesOf(client).address;
}

/**
 * The network that a limit counts a client as: an IPv6 network of 64 bits counts as one, since its owner has all of it.
 */
export function networkOf(client: Client): string {
  return namesOf(client).network;
}

/** Log, limits and audit ask for the client of the same request. */
const clients = new WeakMap<Client, Names>();

/**
 * A proxy may pass on whatever text its client has sent: what is not an address would be another client for each
 * spelling, so the address of the connection counts then.
 */
function namesOf(client: Client): Names {
  const known = clients.get(client);
  if (known !== undefined) return known;
  const { ip = '', socket } = client;
  const names = read(ip) ?? read(socket.remoteAddress ?? '') ?? { address: 'unknown', network: 'unknown' };
  clients.set(client, names);
  return names;
}

/** Parsing an address takes 2 % of what a mint costs the service, and clients come again. */
const readBefore = new Map<string, Names | null>();
const MAX_READ = 10_000;
/** What is longer is not kept: a proxy may pass on long texts. */
const MAX_KEPT_LENGTH = 80;

/** Null for what is no address. */
function read(text: string): Names | null {
  if (text.length > MAX_KEPT_LENGTH) return namesOfAddress(readAddress(text));
  let names = readBefore.get(text);
  if (names === undefined) {
    names = namesOfAddress(readAddress(text));
    setBounded(readBefore, text, names, MAX_READ);
  }
  return names;
}

function namesOfAddress(address: ipaddr.IPv4 | ipaddr.IPv6 | null): Names | null {
  if (address === null) return null;
  const text = address.toString();
  if (!(address instanceof ipaddr.IPv6)) return { address: text, network: text };
  const network = address.parts.slice(0, 4).map((part) => part.toString(16));
  return { address: text, network: `${network.join(':')}::/64` };
}

/** Null for what is no address. */
function readAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  const { v6, v4 } = WITH_PORT.exec(text)?.groups ?? {};
  const [address] = (v6 ?? v4 ?? text).split('%', 1) as [string];
  // Stricter than the parser, which takes 127.1 and 0x7f000001 as well.
  return isIP(address) ? ipaddr.process(address) : null;
}
