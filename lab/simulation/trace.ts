import { createHash } from 'node:crypto';
import type { Scheduler } from './scheduler.ts';

/** Everything that happened in a world, as one hash, and as lines for whoever wants to read them. */
export interface Trace {
  note(kind: string, who: string, ...what: (string | Uint8Array)[]): void;
  /** Of everything so far. */
  digest(): string;
}

const MAX_SHOWN = 300;

/** @param write takes each line as it comes */
export function createTrace(scheduler: Scheduler, write: ((line: string) => void) | null = null): Trace {
  const hash = createHash('sha256');
  return {
    note: (kind, who, ...what) => {
      hash.update(`${scheduler.now.toFixed(4)} ${kind} ${who}\n`);
      for (const part of what) hash.update(part).update('\n');
      if (!write) return;
      const shown = what.map((part) => {
        const text = typeof part === 'string' ? part : printable(Buffer.from(part));
        return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}...` : text;
      });
      write(
        `${scheduler.now.toFixed(3).padStart(12)} ${kind.padEnd(6)} ${who.padEnd(10)} ${shown.join(' -> ')}`,
      );
    },
    digest: () => hash.copy().digest('hex'),
  };
}

/** The texts of a protocol's bytes. */
const printable = (bytes: Buffer): string =>
  bytes
    .toString('latin1')
    .replaceAll(/[^\x20-\x7e]+/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
