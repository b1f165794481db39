import type { Gauge } from 'prom-client';

export type Read = () => Promise<void>;

/** Gauges of one subject. */
export interface GaugeGroup {
  /** All of them. They are reset before each scrape: what does not answer must not keep its old value. */
  gauges: { reset(): void }[];
  /** Reads and sets them. */
  read: Read;
}

/** Makes a gauge of the registry. */
export type CreateGauge = <Label extends string = never>(
  name: string,
  help: string,
  labelNames?: Label[],
) => Gauge<Label>;
