import { once } from 'node:events';
import { Agent, request as httpRequest } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { FuzzRequest } from './requests.ts';

export interface FuzzAnswer {
  /** 0 when the connection was closed without an answer. */
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/** Sends generated requests to one service, over connections that it keeps. */
export function createSender(url: string): Disposable & { send(request: FuzzRequest): Promise<FuzzAnswer> } {
  const { hostname, port } = new URL(url);
  const agent = new Agent({ keepAlive: true });

  const sendRaw = async (raw: string): Promise<FuzzAnswer> => {
    const socket = connect(Number(port), hostname);
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => undefined);
    socket.end(raw, 'latin1');
    await once(socket, 'close');
    const answer = Buffer.concat(chunks).toString();
    const [head = '', body = ''] = answer.split(/\r\n\r\n([^]*)/);
    const type = /^content-type: (.*)$/im.exec(head)?.[1];
    // Of several answers on a connection only the last one counts.
    return {
      status: Number(/^HTTP\/1\.\d (\d+)/.exec(head)?.[1] ?? 0),
      headers: { 'content-type': type },
      body,
    };
  };

  const sendWhole = (request: FuzzRequest): Promise<FuzzAnswer> =>
    new Promise((resolve, reject) => {
      const { method, path, headers, body } = request;
      const outgoing = httpRequest({
        agent,
        hostname,
        port,
        method,
        // Node omits the length of an unexpected body, which would then be read as another request.
        headers: { ...headers, ...(body && { 'Content-Length': String(body.length) }) },
        // Bytes as they are, beyond what a URL may hold.
        path: Buffer.from(path)
          .toString('latin1')
          .replaceAll(/[\0- ]/g, ''),
      });
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        // The server may close an idle connection just when it is used again: the request is repeated.
        if (outgoing.reusedSocket && error.code === 'ECONNRESET') resolve(sendWhole(request));
        else reject(error);
      });
      outgoing.on('response', (incoming: IncomingMessage) => {
        text(incoming).then((answer) => {
          resolve({ status: incoming.statusCode!, headers: incoming.headers, body: answer });
        }, reject);
      });
      outgoing.end(body ?? undefined);
    });

  return {
    send: (request) => (request.raw === undefined ? sendWhole(request) : sendRaw(request.raw)),
    [Symbol.dispose]: () => agent.destroy(),
  };
}
