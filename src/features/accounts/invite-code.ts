import { createHash } from 'node:crypto';

/** What is kept of an invite: enough to recognise its code, and to show which one it is in a list. */
interface KeptInvite {
  codeHash: Buffer;
  /** The first characters of the code: a quarter at most, so that a short one is not given away. */
  hint: string;
}

export function keptInvite(code: string): KeptInvite {
  return { codeHash: hashCode(code), hint: `${code.slice(0, Math.min(4, code.length >> 2))}…` };
}

export function hashCode(code: string): Buffer {
  return createHash('sha256').update(code).digest();
}
