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

/**
 * A proxy may pass on whatever text its client has sent: what is not an address would be another client for each
 * spelling, so the address of the connection counts then.
 */
const readClient = ({ ip = '', socket }: Client): ipaddr.IPv4 | ipaddr.IPv6 | null =>
  readAddress(ip) ?? readAddress(socket.remoteAddress ?? '');

/** Null for what is no address. */
function readAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  const { v6, v4 } = WITH_PORT.exec(text)?.groups ?? {};
  const [address] = (v6 ?? v4 ?? text).split('%', 1) as [string];
  // Stricter than the parser, which takes 127.1 and 0x7f000001 as well.
  return isIP(address) ? ipaddr.process(address) : null;
}
