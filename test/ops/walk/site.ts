import https from 'node:https';

export interface Answer {
  status: number;
  body: Record<string, unknown>;
}

/** Asks `https://mint.example`, over connections that are kept as long as the server keeps them. */
export function openSite(ca: string) {
  const agent = new https.Agent({ keepAlive: true, maxSockets: 32, ca });
  const ask = (
    method: string,
    route: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> =>
    new Promise<Answer>((resolve, reject) => {
      const sent = body === undefined ? undefined : JSON.stringify(body);
      const type = sent === undefined ? {} : { 'Content-Type': 'application/json' };
      const request = https.request(`https://mint.example${route}`, {
        method,
        agent,
        headers: { ...type, ...headers },
      });
      request.on('error', (error: NodeJS.ErrnoException) => {
        // The server has ended a connection that was idle, which is no answer of a request (`request.reusedSocket` in
        // Node's documentation).
        if (request.reusedSocket && error.code === 'ECONNRESET') resolve(ask(method, route, body, headers));
        else reject(error);
      });
      request.on('response', (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('error', reject);
        response.on('end', () => {
          const isJson = response.headers['content-type']?.startsWith('application/json');
          resolve({
            status: response.statusCode!,
            body: isJson ? (JSON.parse(text) as Record<string, unknown>) : { text },
          });
        });
      });
      request.end(sent);
    });
  return { ask, close: () => agent.destroy() };
}

export type Site = ReturnType<typeof openSite>;
