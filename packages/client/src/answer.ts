import { MintmarkError } from './errors.ts';
import type { ErrorFields } from './errors.ts';
import type { components } from './api.ts';

type ErrorBody = components['schemas']['ErrorBody'];

const MAX_SHOWN = 200;

/** Whether an answer is JSON, as all of the service's errors are; those of gateways are mostly HTML. */
export const isJson = (response: Response): boolean =>
  /^application\/json\b/i.test(response.headers.get('Content-Type') ?? '');

/** Seconds from `Retry-After`, in either of its two forms (RFC 9110, 10.2.3); null without a readable one. */
export function readRetryAfter(response: Response): number | null {
  const value = response.headers.get('Retry-After');
  if (value === null) return null;
  if (/^\d+$/.test(value)) return Number(value);
  const until = Date.parse(value);
  return Number.isNaN(until) ? null : Math.max(0, Math.ceil((until - Date.now()) / 1_000));
}

/** JSON as a value, everything else as its text. @throws MintmarkError UNEXPECTED_ANSWER for JSON that is none */
export function readBody(text: string | undefined, response: Response, key: string | null): unknown {
  if (!text) return undefined;
  if (!isJson(response)) return text;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new MintmarkError(`The answer is not JSON: ${text.slice(0, MAX_SHOWN)}`, {
      ...fieldsOf(response, key),
      code: 'UNEXPECTED_ANSWER',
      details: text,
      cause,
    });
  }
}

/** The error that an answer stands for. @param body parsed, or the text when it is not JSON */
export function toError(response: Response, body: unknown, key: string | null): MintmarkError {
  const fields = { ...fieldsOf(response, key), details: body };
  if (isErrorBody(body)) return new MintmarkError(body.message, { ...fields, code: body.code });
  if (isRedirect(response)) {
    const place = response.headers.get('Location') ?? 'elsewhere';
    return new MintmarkError(`Redirected to ${place}: give the service's own address as baseUrl`, {
      ...fields,
      code: 'UNEXPECTED_ANSWER',
    });
  }
  const shown = typeof body === 'string' ? body : JSON.stringify(body);
  return new MintmarkError(
    `Answered ${response.status} without a code of the service: ${shown?.slice(0, MAX_SHOWN) ?? ''}`,
    { ...fields, code: isGatewayError(response) ? 'CONNECTION_FAILED' : 'UNEXPECTED_ANSWER' },
  );
}

/** An answer of something between here and the service, which may have carried the request out. */
export const isGatewayError = (response: Response): boolean =>
  [502, 503, 504].includes(response.status) && !isJson(response);

/** Browsers keep status and target of a redirect to themselves. */
const isRedirect = ({ type, status }: Response): boolean =>
  type === 'opaqueredirect' || (status >= 300 && status < 400);

function isErrorBody(body: unknown): body is ErrorBody {
  if (typeof body !== 'object' || body === null) return false;
  const { code, message } = body as Partial<ErrorBody>;
  return typeof code === 'string' && typeof message === 'string';
}

const fieldsOf = (response: Response, idempotencyKey: string | null): Omit<ErrorFields, 'code'> => ({
  status: response.status,
  requestId: response.headers.get('X-Request-Id'),
  intentId: response.headers.get('Intent-Id'),
  retryAfterSeconds: readRetryAfter(response),
  idempotencyKey,
});
