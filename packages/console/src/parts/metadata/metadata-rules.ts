import type { components } from '../../../../../generated/api.ts';
import { byteLength } from '../bytes.ts';

export type Metadata = components['schemas']['MetadataInput'];
export type AttributeValue = components['schemas']['Attributes'][string];

/** The limits of the contract (`MetadataInput`), in bytes of UTF-8. */
export const MAX_BYTES = { name: 256, description: 2_048, image: 2_048, key: 64, value: 1_024, all: 8_192 };
export const MAX_ATTRIBUTES = 13;
const RESERVED = new Set(['name', 'description', 'image']);
const IMAGE = /^(ipfs|https?):\/\/[^\s"<>\\^`{|}/?#:][^\s"<>\\^`{|}]*$/i;

export interface Fault {
  /** `name`, `description`, `image`, `attributes`, or `attributes.mood`. */
  field: string;
  message: string;
}

const textOf = (value: AttributeValue): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Bytes of keys and values together, which the contract limits and which a mint pays for. */
export function sizeOf(metadata: Metadata): number {
  return entriesOf(metadata).reduce((size, [key, text]) => size + byteLength(key) + byteLength(text), 0);
}

/** Keys and values, as they are written to the chain. */
export function entriesOf({ name, description, image, attributes }: Metadata): [string, string][] {
  return [
    ['name', name],
    ['description', description],
    ...(image === undefined ? [] : [['image', image] satisfies [string, string]]),
    ...Object.entries(attributes ?? {}).map(([key, value]): [string, string] => [key, textOf(value)]),
  ];
}

/** Everything that the API would refuse about metadata, before it is sent. */
export function checkMetadata(metadata: Metadata): Fault[] {
  const { name, description, image, attributes = {} } = metadata;
  const tooLong = (field: string, text: string, max: number): Fault[] =>
    byteLength(text) > max ? [{ field, message: `has ${byteLength(text)} bytes; at most ${max} fit` }] : [];
  const entries = Object.entries(attributes);
  return [
    ...(name === '' ? [{ field: 'name', message: 'is required' }] : []),
    ...tooLong('name', name, MAX_BYTES.name),
    ...tooLong('description', description, MAX_BYTES.description),
    ...(image === undefined || IMAGE.test(image)
      ? []
      : [{ field: 'image', message: 'must be an ipfs, http or https URI' }]),
    ...tooLong('image', image ?? '', MAX_BYTES.image),
    ...(entries.length > MAX_ATTRIBUTES
      ? [{ field: 'attributes', message: `has ${entries.length} keys; at most ${MAX_ATTRIBUTES} fit` }]
      : []),
    ...entries.flatMap(([key, value]) => [
      ...checkKey(key),
      ...tooLong(`attributes.${key}`, textOf(value), MAX_BYTES.value),
    ]),
    ...(sizeOf(metadata) > MAX_BYTES.all
      ? [
          {
            field: 'attributes',
            message: `makes the whole ${sizeOf(metadata)} bytes; at most ${MAX_BYTES.all} fit`,
          },
        ]
      : []),
  ];
}

function checkKey(key: string): Fault[] {
  const field = `attributes.${key}`;
  if (key === '') return [{ field, message: 'has no name' }];
  if (RESERVED.has(key)) return [{ field, message: 'is a reserved name; use the field of that name' }];
  if (byteLength(key) > MAX_BYTES.key)
    return [{ field, message: `has a name of ${byteLength(key)} bytes; at most ${MAX_BYTES.key} fit` }];
  return [];
}
