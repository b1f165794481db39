import { MAX_OPEN_INTENTS } from '../../lib/plans.ts';

/** How many intents more accounts may have open. */
export interface Rooms {
  /** Those of these accounts whose open intents have to be counted. */
  unsure(accountIds: readonly string[]): string[];
  /** @param room by account, as it was just counted */
  learn(room: ReadonlyMap<string, number>): void;
  /** Takes room for one; false when there is none. Asked after `unsure` and `learn`. */
  take(accountId: string): boolean;
}

/** Other replicas accept meanwhile; what was accepted here is known. */
const MAX_AGE_MS = 1_000;
/** More than all other replicas accept of an account in that time, so that nobody goes beyond the limit. */
const LITTLE_ROOM = Math.min(...Object.values(MAX_OPEN_INTENTS)) / 2;

/**
 * Remembers what was counted, less what was accepted since, as long as there is plenty: to count thousands for each group of
 * requests takes the database longer than to store them. What is done makes room once it is counted again.
 */
export function createRooms(): Rooms {
  /** In the order in which they were counted. */
  const rooms = new Map<string, { left: number; countedAt: number }>();
  return {
    unsure: (accountIds) => {
      const now = performance.now();
      for (const [id, { countedAt }] of rooms) {
        if (now - countedAt <= MAX_AGE_MS) break;
        rooms.delete(id);
      }
      return [...new Set(accountIds)].filter((id) => (rooms.get(id)?.left ?? 0) < LITTLE_ROOM);
    },
    learn: (room) => {
      const countedAt = performance.now();
      for (const [id, left] of room) {
        rooms.delete(id);
        rooms.set(id, { left, countedAt });
      }
    },
    take: (accountId) => {
      const room = rooms.get(accountId);
      if (!room) return false;
      room.left -= 1;
      return room.left >= 0;
    },
  };
}
