import type { Rpc } from '../../chain/rpc/rpc.ts';
import { repeat } from '../../lib/repeat.ts';
import type { SettleParts } from '../settle/apply-step.ts';
import { endReader, renewReader } from '../store/reader.ts';

/**
 * The lease of the one reader of the chain, kept while it gets on. Disposing of it lets another process take over at
 * once.
 */
export interface ReaderLease extends AsyncDisposable {
  /** Whether another process has it by now, or may take it since no endpoint answers this one. */
  readonly isLost: boolean;
  /** A block was read, or a turn was taken. */
  progressed(): void;
  /** A turn failed: unless blocks are read all the same, another process may succeed. */
  failed(): void;
}

/**
 * Renews the lease beside the looks at the chain, of which one may take longer than the lease. A look that neither
 * fails nor reads a block has as long as a loop of a lane. When no endpoint has answered for `silentMs`, the lease is
 * given up, whether there is anything to look for or not.
 */
export function keepReaderLease({
  db,
  rpc,
  key,
  config,
}: Pick<SettleParts, 'db' | 'key' | 'config'> & { rpc: Pick<Rpc, 'unreachableForMs'> }): ReaderLease {
  const { leaseMs, stallMs, silentMs } = config.timings;
  const everyMs = leaseMs / 3;
  let isLost = false;
  let renewedUntil = performance.now() + stallMs;
  const renewals = repeat(everyMs, async () => {
    if (rpc.unreachableForMs() >= silentMs) {
      renewals.stop();
      isLost = true;
      return endReader(db, key).catch(() => undefined);
    }
    if (performance.now() > renewedUntil) return;
    // When the database does not answer, the next write of the reader shows it.
    isLost = !(await renewReader(db, key, leaseMs).catch(() => true));
  });
  return {
    get isLost() {
      return isLost;
    },
    progressed: () => {
      renewedUntil = performance.now() + stallMs;
    },
    failed: () => {
      renewedUntil = Math.min(renewedUntil, performance.now() + everyMs);
    },
    [Symbol.asyncDispose]: async () => {
      // A renewal that came after the end of the lease would keep everybody out.
      await renewals[Symbol.asyncDispose]();
      await endReader(db, key).catch(() => undefined);
    },
  };
}
