import { Tooltip } from '@mantine/core';
import { useTick } from './tick.ts';

const FULL = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

function relative(time: number): string {
  const seconds = (time - Date.now()) / 1_000;
  const [unit, size] = STEPS.find(([, each]) => Math.abs(seconds) >= each) ?? ['second', 1];
  return RELATIVE.format(Math.trunc(seconds / size), unit);
}

/** @returns the time in UTC to the second, like `2026-09-14 08:30:12 UTC` */
export function inUtc(at: string): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/**
 * A time in the reader's zone; pointing at it or focusing it tells it in UTC.
 * @param at ISO 8601, as the API has it. @param as `relative` is "5 minutes ago"
 */
export function When({ at, as = 'full' }: { at: string; as?: 'full' | 'day' | 'relative' }) {
  const time = new Date(at);
  const shown =
    as === 'relative' ? (
      <Relative time={time.getTime()} />
    ) : as === 'day' ? (
      DAY.format(time)
    ) : (
      FULL.format(time)
    );
  const detail = as === 'full' ? inUtc(at) : `${FULL.format(time)} · ${inUtc(at)}`;
  return (
    <Tooltip label={detail}>
      <time dateTime={at} tabIndex={0} style={{ whiteSpace: 'nowrap' }}>
        {shown}
      </time>
    </Tooltip>
  );
}

function Relative({ time }: { time: number }) {
  useTick();
  return relative(time);
}
