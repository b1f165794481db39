import type { components } from '../../../../../generated/api.ts';
import { NOT_OF_KIND, kindOf, readAttribute } from './attribute-value.ts';
import type { AttributeKind } from './attribute-value.ts';
import { checkMetadata } from './metadata-rules.ts';
import type { AttributeValue, Fault, Metadata } from './metadata-rules.ts';

export interface AttributeDraft {
  /** Of the row on the screen. */
  id: number;
  key: string;
  kind: AttributeKind;
  typed: string;
}

/** Metadata as it is typed in. */
export interface MetadataDraft {
  name: string;
  description: string;
  image: string;
  attributes: readonly AttributeDraft[];
}

export const NO_METADATA: MetadataDraft = { name: '', description: '', image: '', attributes: [] };

/** The metadata of a draft, as far as it can be read, and what is wrong with it. */
export function readDraft(draft: MetadataDraft): { metadata: Metadata; faults: Fault[] } {
  const attributes = new Map<string, AttributeValue>();
  const faults: Fault[] = [];
  for (const { key, kind, typed } of draft.attributes) {
    // A row that was only added.
    if (key === '' && typed === '') continue;
    const value = readAttribute(kind, typed);
    const field = `attributes.${key}`;
    if (attributes.has(key)) faults.push({ field, message: 'is there twice' });
    else if (value === null) faults.push({ field, message: NOT_OF_KIND[kind] });
    attributes.set(key, value ?? typed);
  }
  const image = draft.image.trim();
  const metadata: Metadata = {
    name: draft.name,
    description: draft.description,
    ...(image === '' ? {} : { image }),
    ...(attributes.size === 0 ? {} : { attributes: Object.fromEntries(attributes) }),
  };
  return { metadata, faults: [...faults, ...checkMetadata(metadata)] };
}

/** What is on the chain, to be edited. */
export function toDraft({
  name,
  description,
  image,
  attributes,
}: components['schemas']['Metadata']): MetadataDraft {
  return {
    name: name ?? '',
    description: description ?? '',
    image: image ?? '',
    attributes: Object.entries(attributes).map(([key, value], id) => ({
      id,
      key,
      kind: kindOf(value),
      typed: String(value),
    })),
  };
}

type Rendered = components['schemas']['RenderedMetadata'];

/**
 * What a contract renders about itself, to be edited. Fields that the form has no place for become attributes, as they
 * were.
 */
export function fromRendered({
  name,
  symbol: _,
  description,
  image,
  attributes,
  ...others
}: Rendered): MetadataDraft {
  const further = Object.entries<unknown>(others).map(([key, value]) => ({
    trait_type: key,
    value: Array.isArray(value) ? value.join(',') : String(value),
  }));
  return {
    name,
    description: description ?? '',
    image: image ?? '',
    attributes: [...(attributes ?? []), ...further].map(({ trait_type, value }, id) => ({
      id,
      key: trait_type,
      kind: kindOf(value),
      typed: String(value),
    })),
  };
}
