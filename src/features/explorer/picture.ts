import type { Hex } from '../../lib/hex.ts';

/** What a contract says of itself or of one of its tokens. */
export interface Description {
  name: string | null;
  description: string | null;
  /** A picture as a data URI. It is safe to show: in an `img` element nothing of it runs or loads. */
  picture: string | null;
  /** Where any other picture is: shown as text, never loaded. */
  link: string | null;
  attributes: { name: string; value: string }[];
}

const JSON_URI = 'data:application/json;base64,';
const PICTURE_URI = /^data:image\/(?:svg\+xml|png|jpeg|gif|webp)[;,]/;
/** Characters; the descriptor's own drawings have about 2,000. */
const MAX_PICTURE_LENGTH = 100_000;
const MAX_ATTRIBUTES = 16;

const NOTHING: Description = { name: null, description: null, picture: null, link: null, attributes: [] };

/** Reads what `tokenURI` or `contractURI` returned, which may be anything. Nothing is fetched. */
export function readDescription(uri: Hex): Description {
  const text = Buffer.from(uri.slice(2), 'hex').toString();
  if (!text.startsWith(JSON_URI)) return { ...NOTHING, link: text || null };
  const json = parseObject(Buffer.from(text.slice(JSON_URI.length), 'base64').toString());
  const image = textOf(json['image']);
  const isPicture = image !== null && PICTURE_URI.test(image) && image.length <= MAX_PICTURE_LENGTH;
  return {
    name: textOf(json['name']),
    description: textOf(json['description']),
    picture: isPicture ? image : null,
    link: isPicture ? null : image,
    attributes: attributesOf(json['attributes']),
  };
}

function parseObject(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function attributesOf(value: unknown): Description['attributes'] {
  return (Array.isArray(value) ? (value as unknown[]) : []).slice(0, MAX_ATTRIBUTES).flatMap((item) => {
    const { trait_type: name, value: given } = (item ?? {}) as { trait_type?: unknown; value?: unknown };
    return typeof name === 'string' && ['string', 'number', 'boolean'].includes(typeof given)
      ? [{ name, value: String(given) }]
      : [];
  });
}
