import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Request, Response } from 'express';

/** A form of a text, and its strong entity tag (RFC 9110, 8.8.3): no two forms have the same. */
interface Form {
  content: Buffer;
  tag: string;
}

/** For so many seconds a copy is used without asking again. */
const MAX_AGE_SECONDS = 60;

/**
 * Makes what sends a text that is the same for everybody and long, such as the contract: packed once, and not at all to
 * a client that has it.
 * @param type its media type
 */
export function createTextSender(type: string): (request: Request, response: Response, text: string) => void {
  let forms: { text: string; plain: Form; packed: Form } | undefined;
  return (request, response, text) => {
    if (forms?.text !== text) forms = { text, ...formsOf(text) };
    const isPacked = Boolean(request.acceptsEncodings('gzip'));
    const { content, tag } = isPacked ? forms.packed : forms.plain;
    response.vary('Accept-Encoding').set({
      'Content-Type': `${type}; charset=utf-8`,
      ETag: tag,
      'Cache-Control': `public, max-age=${MAX_AGE_SECONDS}`,
    });
    if (isPacked) response.set('Content-Encoding', 'gzip');
    // The pipeline forgets conditions, since other answers have no validators: Express compares them with the tag.
    const [condition] = request.headersDistinct['if-none-match'] ?? [];
    if (condition !== undefined) {
      request.headers['if-none-match'] = condition;
      // Node's fetch adds `no-cache` to a condition, for which Express would send all of it again.
      delete request.headers['cache-control'];
    }
    response.send(content);
  };
}

function formsOf(text: string): { plain: Form; packed: Form } {
  const content = Buffer.from(text);
  const name = createHash('sha256').update(content).digest('base64url');
  return {
    plain: { content, tag: `"${name}"` },
    packed: { content: gzipSync(content), tag: `"${name}-gzip"` },
  };
}
