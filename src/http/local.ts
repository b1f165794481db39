import type { IncomingMessage } from 'node:http';
import { BlockList } from 'node:net';
import type { Socket } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** What a reverse proxy adds: a client of a proxy on this machine is somewhere else. */
const FORWARDED = [
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-forwarded-host',
  'x-real-ip',
  'forwarded',
  'via',
];

/** As much of a request as tells where it comes from. */
interface Origin {
  headers: IncomingMessage['headers'];
  socket: Pick<Socket, 'remoteAddress'>;
}

/** Whether a request was made on this machine itself, and not through a proxy on it. */
export function isFromThisMachine({ socket, headers }: Origin): boolean {
  if (FORWARDED.some((name) => headers[name] !== undefined)) return false;
  const address = socket.remoteAddress ?? '';
  return loopback.check(address, address.includes(':') ? 'ipv6' : 'ipv4');
}
