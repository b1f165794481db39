import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { AppError } from '../../errors.ts';

const MAX_URL_LENGTH = 2_048;
/** Reachable inside of Azure only, where it gives a machine its secrets, though it looks like a public address. */
const AZURE_WIRE_SERVER = '168.63.129.16';
/** Every public IPv6 address there is. */
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/**
 * Whether an IP address belongs to somebody on the internet: neither private, loopback, link-local, shared, multicast,
 * reserved nor one of a cloud's metadata; nor IPv6 that stands for IPv4, through which a gateway would reach those.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== 'unicast') return false;
  return address instanceof ipaddr.IPv6
    ? address.match(GLOBAL_UNICAST)
    : address.toString() !== AZURE_WIRE_SERVER;
}

/** The host of a URL as a resolver or a connection takes it: IPv6 without its brackets. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function refuse(message: string): AppError {
  return new AppError('VALIDATION_ERROR', message);
}

/**
 * What may be said of a URL without asking anybody. Where its name leads is looked at when something is sent there.
 * @param allowPrivate the operator allows addresses of its own network, and http
 * @throws AppError VALIDATION_ERROR
 */
export function readTarget(text: string, allowPrivate: boolean): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || url.href.length > MAX_URL_LENGTH) throw refuse('url must be a URL of at most 2,048 characters');
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:')) {
    throw refuse(`url must begin with https://${allowPrivate ? ' or http://' : ''}`);
  }
  if (url.username !== '' || url.password !== '') {
    throw refuse('url must hold no user name and no password; the signature tells who sends');
  }
  if (url.hash !== '') throw refuse('url must hold no fragment, the part behind #: it would not be sent');
  const port = Number(url.port || 443);
  if (port < 1_024 && port !== 443 && port !== 80)
    throw refuse('The port of url must be 443, 80 or above 1023');
  const host = hostOf(url);
  const isLocal = isIP(host) ? !isPublicAddress(host) : /(^|\.)localhost\.?$/.test(host);
  if (isLocal && !allowPrivate) throw refuse('url must lead to a public address');
  return url.href;
}
