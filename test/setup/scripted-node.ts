import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import { listen } from './listen.ts';

export interface RpcCall {
  id: number;
  method: string;
  params: unknown[];
}

/** What one HTTP request brings: one call, or several in a batch. It ends the response. */
export type Script = (calls: RpcCall[], response: ServerResponse, isBatch: boolean) => void;

export interface ScriptedNode extends AsyncDisposable {
  url: string;
  /** The methods of each HTTP request, in order. */
  requests: string[][];
}

/** A JSON-RPC endpoint whose responses are written by a script, byte by byte. */
export async function startScriptedNode(script: Script): Promise<ScriptedNode> {
  const requests: string[][] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      const body = JSON.parse(text) as RpcCall | RpcCall[];
      const calls = Array.isArray(body) ? body : [body];
      requests.push(calls.map(({ method }) => method));
      script(calls, response, Array.isArray(body));
    });
  });
  return { ...(await listen(server)), requests };
}

/** Returns a response for each call; `answerOf` gives its `result` or its `error`. */
export const answerEach =
  (answerOf: (call: RpcCall) => { result: unknown } | { error: unknown }): Script =>
  (calls, response, isBatch) => {
    const answers = calls.map((call) => ({ jsonrpc: '2.0', id: call.id, ...answerOf(call) }));
    response.end(JSON.stringify(isBatch ? answers : answers[0]));
  };
