import { Webhook } from 'standardwebhooks';
import type { webhooks } from './api.ts';
import { MintmarkError } from './errors.ts';

export { MintmarkError } from './errors.ts';

type Message<Name extends keyof webhooks> = webhooks[Name] extends {
  post: { requestBody: { content: { 'application/json': infer Body } } };
}
  ? Body
  : never;

/**
 * A message of the service: `type` says which, `data` holds the intent, or what changed. Of two about the same intent
 * the one with the higher `sequence` counts, whichever came first.
 */
export type WebhookEvent = { [Name in keyof webhooks]: Message<Name> }[keyof webhooks] & {
  /** The `webhook-id`: the same at each attempt to deliver the message. Store it, and drop what you have stored. */
  id: string;
};

export interface SignedMessage {
  /** The `whsec_...` that the service showed when the webhook was registered, or its secret was rotated. */
  secret: string;
  /** The body as it came: JSON that is parsed and written again may differ. */
  body: string | Uint8Array;
  /** Of Node (`request.headers`) or of fetch (`request.headers`). */
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
}

/**
 * Checks that a message is from the service, and not older than five minutes.
 * @throws MintmarkError INVALID_SIGNATURE: answer 401
 * @throws Error for a secret that is none
 */
export function verifyWebhook({ secret, body, headers }: SignedMessage): WebhookEvent {
  const webhook = new Webhook(secret);
  const signed = {
    'webhook-id': readHeader(headers, 'webhook-id'),
    'webhook-timestamp': readHeader(headers, 'webhook-timestamp'),
    'webhook-signature': readHeader(headers, 'webhook-signature'),
  };
  try {
    const text = typeof body === 'string' ? body : decode(body);
    const event = webhook.verify(text, signed) as WebhookEvent;
    return { ...event, id: signed['webhook-id'] };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new MintmarkError(`This message is not one of the service: ${reason}`, {
      code: 'INVALID_SIGNATURE',
      cause,
    });
  }
}

const decode = (bytes: Uint8Array): string =>
  new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);

function readHeader(headers: SignedMessage['headers'], name: string): string {
  if (headers instanceof Headers) return headers.get(name) ?? '';
  const [, value = ''] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? [];
  return typeof value === 'string' ? value : value.join();
}
