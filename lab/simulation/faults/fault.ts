import type { Cut, FaultWindow } from '../../judge/history.ts';
import type { Random } from '../../random.ts';
import type { NodeModel } from '../node.ts';
import type { ServiceProcess } from '../service.ts';
import type { World } from '../world.ts';

/** How a fault of a kind comes out; each kind reads it in its own way. */
export interface Draw {
  /** Of those that last, in milliseconds. */
  lastMs: number;
  /** Which process, which endpoint, how deep. */
  which: number;
}

export interface FaultParts extends Draw {
  world: World;
  /** Those that there are now. */
  processes: ServiceProcess[];
  /** For the judge: what the fault says of itself. */
  window: FaultWindow;
  /** The chance of this fault alone. */
  random: Random;
}

/** Makes the fault, and resolves when it is over. It takes back what it did and nothing else: others may go on. */
export type Make = (parts: FaultParts) => Promise<void>;

/** @param endpoint null: all of them. @param isWhole whether no call gets through, nor an old answer back */
export const cutOf = (endpoint: string | null, isWhole: boolean): Cut => ({
  engine: null,
  endpoint,
  isWhole,
});

export const nodeOf = ({ world: { nodes }, which }: FaultParts): NodeModel => nodes[which % nodes.length]!;
