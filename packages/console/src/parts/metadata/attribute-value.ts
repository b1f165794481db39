import type { AttributeValue } from './metadata-rules.ts';

export const ATTRIBUTE_KINDS = ['text', 'number', 'boolean'] as const;
export type AttributeKind = (typeof ATTRIBUTE_KINDS)[number];

/**
 * Reads what was typed as a value of its kind. A number is one that is written as JSON writes it, so that each
 * character of it is kept: `007`, `1.50` or twenty decimals would be another text once they are read as a number.
 * @returns null when it is none
 */
export function readAttribute(kind: AttributeKind, typed: string): AttributeValue | null {
  if (kind === 'text') return typed;
  const text = typed.trim();
  if (kind === 'boolean') return /^(true|false)$/i.test(text) ? text.toLowerCase() === 'true' : null;
  const value = Number(text);
  if (!Number.isFinite(value) || String(value) !== text) return null;
  // Neighbours of a larger whole number are the same double, unless its digits end in an exponent.
  return /^-?\d+$/.test(text) && !Number.isSafeInteger(value) ? null : value;
}

export function kindOf(value: AttributeValue): AttributeKind {
  return typeof value === 'string' ? 'text' : (typeof value as AttributeKind);
}

export const NOT_OF_KIND: Record<AttributeKind, string> = {
  text: '',
  number: 'is not exactly a number as it is written: write it like 1.5 or 7, or keep it as text',
  boolean: 'must be true or false',
};
