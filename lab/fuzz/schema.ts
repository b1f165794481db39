import fc from 'fast-check';

/** The part of JSON Schema that the contract uses. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  oneOf?: Schema[];
  pattern?: string;
  format?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  maxProperties?: number;
  required?: string[];
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  items?: Schema;
}

export type Json = unknown;

/** Looks a reference (`#/components/...`) up in a document. */
export function resolve<Part>(document: unknown, part: Part & { $ref?: string }): Part {
  if (part.$ref === undefined) return part;
  let found: unknown = document;
  for (const name of part.$ref.split('/').slice(1)) found = (found as Record<string, unknown>)[name];
  return found as Part;
}

/** Longer values are among the hostile ones: a valid request need not be large. */
const LONGEST = 300;

/** Usual and unusual text. */
function text(schema: Schema, known: readonly string[]): fc.Arbitrary<Json> {
  const minLength = schema.minLength ?? 0;
  const maxLength = Math.min(schema.maxLength ?? LONGEST, LONGEST);
  if (schema.pattern === '^0x[0-9a-fA-F]{40}$') return fc.constantFrom(...known);
  if (schema.format === 'uuid') return fc.uuid();
  if (schema.format === 'email') return fc.emailAddress();
  // Reserved names and addresses, which nothing is ever sent to.
  if (schema.format === 'uri') {
    return fc.constantFrom('https://receiver.invalid/hook', 'https://127.0.0.1/', 'http://receiver.invalid/');
  }
  if (schema.pattern !== undefined) {
    return fc
      .stringMatching(new RegExp(schema.pattern))
      .map((value) => value.slice(0, maxLength))
      .filter((value) => value.length >= minLength && new RegExp(schema.pattern!).test(value));
  }
  return fc.oneof(
    fc.string({ unit: 'grapheme', minLength, maxLength: Math.max(minLength, Math.min(maxLength, 20)) }),
    fc.string({ unit: 'grapheme-ascii', minLength, maxLength }),
  );
}

/** Values that fit a schema. `known` are addresses of existing contracts. */
export function valuesOf(document: unknown, given: Schema, known: readonly string[]): fc.Arbitrary<Json> {
  const schema = resolve<Schema>(document, given);
  const of = (part: Schema): fc.Arbitrary<Json> => valuesOf(document, part, known);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.oneOf) return fc.oneof(...schema.oneOf.map(of));
  if (Array.isArray(schema.type)) return fc.oneof(...schema.type.map((type) => of({ ...schema, type })));
  switch (schema.type) {
    case 'string':
      return text(schema, known);
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -100, max: schema.maximum ?? 100 });
    case 'number':
      // What lies beyond is not kept with all its digits.
      return fc.double({ min: -(2 ** 53), max: 2 ** 53, noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(of(schema.items ?? {}), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 4, 4),
      });
    case 'object': {
      const properties = Object.entries(schema.properties ?? {}).map(
        ([name, part]) => [name, of(part)] as const,
      );
      if (properties.length > 0) {
        return fc.record(Object.fromEntries(properties), { requiredKeys: schema.required ?? [] });
      }
      const rest =
        typeof schema.additionalProperties === 'object' ? of(schema.additionalProperties) : fc.string();
      return fc.dictionary(fc.string({ minLength: 1, maxLength: 20 }), rest, {
        maxKeys: schema.maxProperties ?? 4,
      });
    }
    default:
      return fc.string();
  }
}
