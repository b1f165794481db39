import { setBounded } from '../../lib/bounded-map.ts';
import type { QueuedIntent } from '../store/queue.ts';

/** A call whose gas is asked for. */
type MeasuredCall = Pick<QueuedIntent, 'contract' | 'data' | 'gasEstimate'>;

/** What calls have used of late, against what they were guessed to use at the most. */
export interface GasMemory {
  /** Gas that this call will use by experience with its function; its estimate without any. */
  expect(call: MeasuredCall): number;
  /** The most that this function of this contract has used of late; undefined without experience. */
  findMost(call: MeasuredCall): number | undefined;
  learn(call: MeasuredCall, gasUsed: number): void;
  /** The experience with this function of this contract has turned out to be too little. */
  forget(call: MeasuredCall): void;
}

/** Functions of contracts whose gas is kept. */
const MAX_FUNCTIONS = 20_000;

/**
 * Estimates are for a first holder and an empty slot; most calls cost far less, and blocks would stay half empty.
 * Experience is a share of the estimate, which grows with the size of a call.
 */
export function createGasMemory(maxFunctions: number = MAX_FUNCTIONS): GasMemory {
  const usual = new Map<string, number>();
  const most = new Map<string, number>();
  const selector = ({ data }: MeasuredCall): string => data.slice(0, 10);
  const place = (call: MeasuredCall): string => `${call.contract}${selector(call)}`;
  return {
    expect: (call) => Math.ceil(call.gasEstimate * Math.min(1, usual.get(selector(call)) ?? 1)),
    findMost: (call) => {
      const share = most.get(place(call));
      return share === undefined ? undefined : Math.ceil(call.gasEstimate * share);
    },
    learn: (call, gasUsed) => {
      const share = gasUsed / Math.max(1, call.gasEstimate);
      // Quick to believe that calls have become dearer, slow to believe that they are cheap.
      usual.set(selector(call), trackPeak(usual.get(selector(call)) ?? 1, share, 20));
      const known = most.get(place(call)) ?? share;
      // What was used of late stays; what was not for long goes first.
      most.delete(place(call));
      setBounded(most, place(call), trackPeak(known, share, 200), maxFunctions);
    },
    forget: (call) => void most.delete(place(call)),
  };
}

/** Up at once, down by a part of the way. */
const trackPeak = (known: number, value: number, slowness: number): number =>
  value > known ? value : known + (value - known) / slowness;
