import type { AttributeValue } from './metadata-rules.ts';

export const ATTRIBUTE_KINDS = ['text', 'number', 'boolean'] as const;
export type AttributeKind = (typeof ATTRIBUTE_KINDS)[number];

const NUMBER = /^-?\d+(\.\d+)?$/;

/** Reads what was typed as a value of its kind. @returns null when it is none */
export function readAttribute(kind: AttributeKind, typed: string): AttributeValue | null {
  if (kind === 'text') return typed;
  const text = typed.trim();
  if (kind === 'boolean') return /^(true|false)$/i.test(text) ? text.toLowerCase() === 'true' : null;
  if (!NUMBER.test(text)) return null;
  const value = Number(text);
  // A larger one would be another number once it is read.
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? value : null;
}

export function kindOf(value: AttributeValue): AttributeKind {
  return typeof value === 'string' ? 'text' : (typeof value as AttributeKind);
}

export const NOT_OF_KIND: Record<AttributeKind, string> = {
  text: '',
  number: `must be a number, up to ${Number.MAX_SAFE_INTEGER}`,
  boolean: 'must be true or false',
};
