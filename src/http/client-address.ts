import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** As much of a request as tells where it comes from. */
interface Client {
  /** Of the connection, or as a trusted proxy says. */
  ip?: string | undefined;
  socket: { remoteAddress?: string | undefined };
}

/** Some proxies add the port, and put an IPv6 address in brackets then. */
const WITH_PORT = /^(?:\[(?<v6>[^\]]*)\]|(?<v4>[\d.]+))(?::\d{1,5})?$/;

/** The address of a client, as the audit log keeps it. */
export function addressOf(client: Client): string {
  return readClient(client)?.toString() ?? 'unknown';
}

/** The network that a limit counts a client as: an IPv6 network of 64 bits counts as one, since its owner has all of it. */
export function networkOf(client: Client): string {
  const address = readClient(client);
  if (!(address instanceof ipaddr.IPv6)) return address?.toString() ?? 'unknown';
  const network = address.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}

type Address = ipaddr.IPv4 | ipaddr.IPv6 | null;

/** Log, limits and audit ask for the client of the same request, and parsing takes 2 % of what a mint costs the service. */
const clients = new WeakMap<Client, Address>();

/**
 * A proxy may pass on whatever text its client has sent: what is not an address would be another client for each
 * spelling, so the address of the connection counts then.
 */
function readClient(client: Client): Address {
  const known = clients.get(client);
  if (known !== undefined) return known;
  const { ip = '', socket } = client;
  const address = readAddress(ip) ?? readAddress(socket.remoteAddress ?? '');
  clients.set(client, address);
  return address;
}

/** Null for what is no address. */
function readAddress(text: string): Address {
  const { v6, v4 } = WITH_PORT.exec(text)?.groups ?? {};
  const [address] = (v6 ?? v4 ?? text).split('%', 1) as [string];
  // Stricter than the parser, which takes 127.1 and 0x7f000001 as well.
  return isIP(address) ? ipaddr.process(address) : null;
}
