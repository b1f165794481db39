import { Resolver, lookup } from 'node:dns/promises';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { linkAbort } from '../../lib/linked-abort.ts';
import { hostOf, isPublicAddress } from './target.ts';

/** What became of one attempt. */
export interface Attempt {
  /** Null when there was no answer. */
  status: number | null;
  /** One sentence; null when the receiver said 2xx. */
  error: string | null;
}

export interface Message {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** The addresses of a host name. */
type Resolve = (host: string, signal: AbortSignal) => Promise<string[]>;

export interface SendOptions {
  /** Whether the operator allows addresses that are not public. */
  allowPrivate: boolean;
  /** Which addresses may be connected to, instead of that. */
  isAllowed?: (address: string) => boolean;
  resolve?: Resolve;
  /** Milliseconds until a connection must stand, with the name found and TLS spoken. */
  connectMs?: number;
  /** Milliseconds until the whole answer must be there. */
  totalMs?: number;
}

/** Sends one message. Never rejects but by the signal. */
export type Send = (message: Message, signal: AbortSignal) => Promise<Attempt>;

/** Beyond this an answer is cut off: only its status counts. */
const MAX_ANSWER_BYTES = 65_536;

/**
 * DNS without the threads that file access and password hashing share: a name server that never answers would hold
 * them. It does not read the machine's own names, which are never public.
 */
const resolvePublic: Resolve = async (host, signal) => {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  const cancel = (): void => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    return found.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  } finally {
    signal.removeEventListener('abort', cancel);
  }
};

/** DNS with the names of the machine and of its network. */
const resolveAny: Resolve = async (host) => {
  const found = await lookup(host, { all: true }).catch(() => []);
  return found.map(({ address }) => address);
};

/** Why an attempt got no answer, in words that say nothing about our network. */
class NoAnswer extends Error {}

/**
 * Makes the sender. It resolves the name itself, refuses when any of its addresses is not public, and connects to the
 * address that it has checked, whatever the name resolves to a moment later. It follows no redirect.
 */
export function createSend({
  allowPrivate,
  isAllowed = allowPrivate ? () => true : isPublicAddress,
  resolve = allowPrivate ? resolveAny : resolvePublic,
  connectMs = 5_000,
  totalMs = 15_000,
}: SendOptions): Send {
  const findAddress = async (host: string, signal: AbortSignal): Promise<string> => {
    const addresses = isIP(host) ? [host] : await resolve(host, signal);
    signal.throwIfAborted();
    if (addresses.length === 0) throw new NoAnswer('The host name has no address');
    if (!addresses.every(isAllowed)) throw new NoAnswer('The host has an address that is not public');
    return addresses[0]!;
  };

  const post = async (message: Message, signal: AbortSignal, connected: () => void): Promise<number> => {
    const url = new URL(message.url);
    const host = hostOf(url);
    const address = await findAddress(host, signal);
    const isTls = url.protocol === 'https:';
    const outgoing = (isTls ? requestHttps : requestHttp)({
      method: 'POST',
      host: address,
      // For the certificate; an address needs no name.
      ...(isTls && !isIP(host) ? { servername: host } : {}),
      port: url.port || (isTls ? 443 : 80),
      path: url.pathname + url.search,
      headers: { ...message.headers, Host: url.host, 'Content-Length': Buffer.byteLength(message.body) },
      agent: false,
      signal,
    });
    outgoing.on('socket', (socket) => socket.once(isTls ? 'secureConnect' : 'connect', connected));
    const answered = new Promise<IncomingMessage>((done, fail) => {
      outgoing.once('response', done);
      outgoing.on('error', fail);
    });
    outgoing.end(message.body);
    const answer = await answered;
    let bytes = 0;
    for await (const chunk of answer) {
      bytes += (chunk as Buffer).length;
      if (bytes > MAX_ANSWER_BYTES) break;
    }
    return answer.statusCode!;
  };

  return async (message, stop) => {
    const late = linkAbort(stop);
    const giveUp = (words: string, milliseconds: number): NodeJS.Timeout =>
      setTimeout(() => late.abort(new NoAnswer(words)), milliseconds);
    const total = giveUp(`There was no whole answer within ${totalMs / 1_000} seconds`, totalMs);
    const connect = giveUp(`There was no connection within ${connectMs / 1_000} seconds`, connectMs);
    try {
      const status = await post(message, late.signal, () => clearTimeout(connect));
      const isSuccess = status >= 200 && status < 300;
      return { status, error: isSuccess ? null : `The receiver answered ${status}` };
    } catch (error) {
      stop.throwIfAborted();
      return { status: null, error: describe(late.signal.aborted ? late.signal.reason : error) };
    } finally {
      clearTimeout(total);
      clearTimeout(connect);
      late.release();
    }
  };
}

const WORDS: Record<string, string> = {
  ECONNREFUSED: 'The connection was refused',
  ECONNRESET: 'The connection was closed before the answer',
  EHOSTUNREACH: 'The host cannot be reached',
  ENETUNREACH: 'The host cannot be reached',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate of the host is for another name',
};

function describe(error: unknown): string {
  if (error instanceof NoAnswer) return error.message;
  const { code = '' } = error as NodeJS.ErrnoException;
  if (WORDS[code]) return WORDS[code];
  return /CERT|TLS|SSL|SELF_SIGNED|VERIFY|EPROTO/.test(code)
    ? `The certificate or the TLS of the host is not valid (${code})`
    : 'The connection failed';
}
