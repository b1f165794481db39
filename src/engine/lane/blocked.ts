import type { Hex } from '../../lib/hex.ts';
import type { InFlight, Snapshot } from './in-flight.ts';

/** Contracts whose next call cannot be sent or decided yet: the lane leaves them out of the queue. */
export interface BlockedContracts {
  /** Until one of these transactions is mined, taken back or finished; without any, until the next look. */
  blockUntil(contract: Hex, changes: readonly Snapshot[]): void;
  /** For the cooldown: what would decide its next call cannot be seen yet. */
  coolDown(contract: Hex): void;
  /** All of them, and those with a call in flight that is to go again. */
  find(): Hex[];
}

export function createBlockedContracts(
  inFlight: Pick<InFlight, 'isUnchanged' | 'returning'>,
  cooldownMs: number,
): BlockedContracts {
  const blocked = new Map<Hex, readonly Snapshot[]>();
  const cooling = new Map<Hex, number>();
  return {
    blockUntil: (contract, changes) => {
      blocked.set(contract, changes);
    },
    coolDown: (contract) => {
      cooling.set(contract, performance.now() + cooldownMs);
    },
    find: () => {
      for (const [contract, snapshots] of blocked)
        if (snapshots.length === 0 || !snapshots.every(inFlight.isUnchanged)) blocked.delete(contract);
      for (const [contract, until] of cooling) if (performance.now() >= until) cooling.delete(contract);
      return [...new Set([...blocked.keys(), ...cooling.keys(), ...inFlight.returning()])];
    },
  };
}
