import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import type { Served } from '../../lab/stage/serve.ts';

/** Opens a connection to write to as a test likes. */
export async function open({ port }: Served): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

/** Opens a connection, writes, and collects what comes back until the server closes it. */
export async function speak({ port }: Served, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
  socket.on('error', () => undefined);
  socket.write(text);
  await once(socket, 'close');
  return answer;
}
