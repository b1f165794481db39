/**
 * Receives the messages of a webhook: verifies each one, handles it once, and drops what a later one has overtaken.
 * Variables: WEBHOOK_SECRET, which the service shows when the webhook is registered; PORT.
 */
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { MintmarkError, verifyWebhook } from '@mintmark/client/webhooks';
import type { WebhookEvent } from '@mintmark/client/webhooks';

const { WEBHOOK_SECRET: secret, PORT: port = '4000' } = process.env;
if (!secret) throw new Error('Set WEBHOOK_SECRET to the secret of the webhook: whsec_...');

/** The largest message has less than 2 kB. */
const MAX_BODY_BYTES = 64 * 1024;

/**
 * Better tables, which outlive the process: message ids in a unique column, and the highest sequence of each intent.
 */
const handled = new Set<string>();
const highest = new Map<string, number>();

function handle(event: WebhookEvent): void {
  if (handled.has(event.id)) return;
  handled.add(event.id);
  switch (event.type) {
    case 'intent.confirmed':
    case 'intent.failed':
    case 'intent.retracted': {
      const { id, kind, status, transaction } = event.data;
      if ((highest.get(id) ?? 0) > event.sequence) return;
      highest.set(id, event.sequence);
      console.log(event.type, id, kind, status, transaction?.hash ?? '-');
      return;
    }
    default:
      console.log(event.type);
  }
}

/** Returns the status of the answer. */
async function receive(request: IncomingMessage): Promise<number> {
  if (request.method !== 'POST') return 405;
  if (!(Number(request.headers['content-length']) <= MAX_BODY_BYTES)) return 413;
  try {
    const body = await buffer(request);
    const event = verifyWebhook({ secret: secret ?? '', body, headers: request.headers });
    // Work that takes longer than a moment belongs behind the answer: the service waits for 15 seconds, and then sends
    // again.
    handle(event);
    return 204;
  } catch (error) {
    if (error instanceof MintmarkError) return 401;
    console.error(error);
    return 500;
  }
}

createServer((request, response) => {
  void receive(request).then((status) => response.writeHead(status).end());
}).listen(Number(port), '127.0.0.1', () => console.log(`listening on port ${port}`));
