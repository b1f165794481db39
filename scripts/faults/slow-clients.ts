import { runSlowClients } from '../../test/faults/slow-clients.ts';
import type { Fault } from './outcome.ts';

const MAX_P99_MS = 500;

/** Connections that send a byte now and then. */
export const slowClients: Fault = async ({ scaled }) => {
  const connections = scaled(2_000);
  const { held, p99, left } = await runSlowClients(connections);
  return {
    made: `${connections} connections, a byte a second`,
    judgement: null,
    note: `${held} held, others' p99 ${p99.toFixed(1)} ms`,
    flaws: [
      ...(p99 < MAX_P99_MS ? [] : [`p99 of the others ${p99.toFixed(1)} ms`]),
      ...(left === 0 ? [] : [`${left} never closed`]),
    ],
  };
};
