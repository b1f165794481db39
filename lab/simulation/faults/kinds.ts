import { setTimeout as sleep } from 'node:timers/promises';
import { CHAIN_FAULTS } from './chain.ts';
import { DATABASE_FAULTS, RESTORE_FAULTS } from './database.ts';
import { ENDPOINT_FAULTS } from './endpoints.ts';
import type { Make } from './fault.ts';
import { OPERATOR_FAULTS } from './operator.ts';
import { PROCESS_FAULTS } from './processes.ts';

const RECEIVER_FAULTS = {
  receivers: async ({ world, lastMs }) => {
    world.receiversFail += 1;
    await sleep(lastMs);
    world.receiversFail -= 1;
  },
} satisfies Record<string, Make>;

const USUAL = {
  ...PROCESS_FAULTS,
  ...ENDPOINT_FAULTS,
  ...CHAIN_FAULTS,
  ...DATABASE_FAULTS,
  ...RECEIVER_FAULTS,
};

/** Everything that may happen to a world. */
export const KINDS = { ...USUAL, ...RESTORE_FAULTS, ...OPERATOR_FAULTS };

export type FaultKind = keyof typeof KINDS;

/** Those that are drawn with others. */
export const FAULTS = Object.keys(USUAL) as FaultKind[];
/** With the commands of a person that put an end to them. */
export const RARE_FAULTS = Object.keys(OPERATOR_FAULTS) as FaultKind[];
