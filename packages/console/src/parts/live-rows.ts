import { useState, useSyncExternalStore } from 'react';
import type { RefObject } from 'react';
import type { List } from '../api/list.ts';

interface Row {
  id: string;
  /** ISO 8601, as the API has it. */
  createdAt: string;
}

export interface LiveRows<R> {
  rows: readonly R[];
  /** Newer ones, which are not shown yet. */
  heldBack: number;
  showNew(): void;
}

/** Of the shell's header, which covers what is scrolled below it. */
const HEADER_PX = 60;

/** Whether somebody is in the middle of it: has scrolled on, points at it or has the focus in it. */
function isBeingRead(element: HTMLElement | null): boolean {
  if (!element) return false;
  return (
    element.getBoundingClientRect().top < HEADER_PX ||
    element.matches(':hover') ||
    element.contains(document.activeElement)
  );
}

const SIGNS = ['scroll', 'pointerover', 'focusin', 'focusout'] as const;

function watchReader(listener: () => void): () => void {
  for (const sign of SIGNS) addEventListener(sign, listener, { passive: true });
  return () => {
    for (const sign of SIGNS) removeEventListener(sign, listener);
  };
}

/**
 * Rows of a list that is read again and again, newest first, without taking the reader's place away: while somebody is
 * reading, new rows wait, and rows that newer ones pushed beyond the last page stay.
 * @param place holds the rows
 */
export function useLiveRows<R extends Row>(
  { rows, hasMore }: Pick<List<R>, 'rows' | 'hasMore'>,
  place: RefObject<HTMLElement | null>,
): LiveRows<R> {
  const [known, setKnown] = useState({ read: rows, all: rows });
  if (known.read !== rows) {
    const last = known.all.findIndex(({ id }) => id === rows.at(-1)?.id);
    const pushedOut = hasMore && last >= 0 ? known.all.slice(last + 1) : [];
    setKnown({ read: rows, all: [...rows, ...pushedOut] });
  }
  const newest = rows[0];
  const [from, setFrom] = useState(newest);
  const isRead = useSyncExternalStore(watchReader, () => isBeingRead(place.current));
  if (from !== newest && (!from || !isRead)) setFrom(newest);
  const first = from
    ? known.all.findIndex(({ id, createdAt }) => id === from.id || createdAt < from.createdAt)
    : 0;
  const heldBack = Math.max(first, 0);
  return { rows: known.all.slice(heldBack), heldBack, showNew: () => setFrom(newest) };
}
