import { setTimeout as sleep } from 'node:timers/promises';
import type { Site } from './site.ts';

/** What a load has met. */
export interface LoadReport {
  requests: number;
  /** Answers of each status. */
  statuses: Record<string, number>;
  /** Whatever was no answer, or one of 5xx. */
  failures: string[];
  /** Mints that were answered. */
  mints: number;
}

const EVERY_MS = 100;

/** Reads and mints, ten a second, until it is ended, and for so many requests at least. */
export function startLoad(site: Site, token: string, authorization: Record<string, string>, least: number) {
  const report: LoadReport = { requests: 0, statuses: {}, failures: [], mints: 0 };
  const mint = { owner: '0x3440326f551B8A7ee198cEE35cb5D517f2d296a2', amount: '1' };
  const one = async (index: number): Promise<void> => {
    const isMint = index % 5 === 0;
    const asked = isMint
      ? site.ask('POST', `/tokens/${token}/mint`, mint, {
          ...authorization,
          'Idempotency-Key': `load-${index}`,
        })
      : site.ask('GET', index % 2 === 0 ? '/stats' : `/tokens/${token}`, undefined, authorization);
    try {
      const { status, body } = await asked;
      report.statuses[status] = (report.statuses[status] ?? 0) + 1;
      if (status >= 400) report.failures.push(`${index}: ${status} ${JSON.stringify(body)}`);
      else if (isMint) report.mints += 1;
    } catch (error) {
      report.failures.push(`${index}: ${String(error)}`);
    }
  };
  let isEnding = false;
  const run = async (): Promise<LoadReport> => {
    const open: Promise<void>[] = [];
    for (; !isEnding || report.requests < least; await sleep(EVERY_MS)) {
      open.push(one(report.requests));
      report.requests += 1;
    }
    await Promise.all(open);
    return report;
  };
  const ended = run();
  return {
    end: () => {
      isEnding = true;
      return ended;
    },
  };
}
