import type { Cut, RunHistory, Span } from './history.ts';

/** Sorted and without overlaps. */
export function union(spans: readonly Span[]): Span[] {
  const joined: Span[] = [];
  for (const { from, to } of [...spans].sort((one, other) => one.from - other.from)) {
    const last = joined.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else if (to > from) joined.push({ from, to });
  }
  return joined;
}

function intersect(one: readonly Span[], other: readonly Span[]): Span[] {
  const common = one.flatMap(({ from, to }) =>
    other.map((each) => ({ from: Math.max(from, each.from), to: Math.min(to, each.to) })),
  );
  return union(common);
}

/** How much of a time is outside of all spans, which do not overlap. */
export function lengthOutside({ from, to }: Span, spans: readonly Span[]): number {
  const covered = intersect([{ from, to }], spans).reduce((sum, each) => sum + each.to - each.from, 0);
  return Math.max(0, to - from - covered);
}

/** When no engine of a signer runs and can use an endpoint. @param isBroken whether a cut keeps it from that */
function whenUnserved(
  { engines, endpoints, faults }: RunHistory,
  signer: string | null,
  isBroken: (cut: Cut) => boolean,
): Span[] {
  const pairs = engines
    .filter((engine) => signer === null || engine.signer === signer)
    .flatMap(({ name }) => endpoints.map((endpoint) => ({ name, endpoint })));
  const unserved = pairs.map(({ name, endpoint }) => {
    const isCut = (cut: Cut): boolean =>
      isBroken(cut) && (cut.engine ?? name) === name && (cut.endpoint ?? endpoint) === endpoint;
    return union(faults.filter(({ stops, cuts }) => stops === name || cuts.some(isCut)));
  });
  return unserved.length === 0 ? [] : unserved.reduce(intersect);
}

/**
 * When no engine that runs got any answer of the chain: the only time in which a write fails since it cannot be sent.
 */
export const whenOutOfReach = (history: RunHistory): Span[] =>
  whenUnserved(history, null, ({ isWhole }) => isWhole);

/** When some signer had no engine that runs and can use an endpoint well: others cannot send what waits for it. */
export const whenUnattended = (history: RunHistory): Span[] =>
  union(
    [...new Set(history.engines.map(({ signer }) => signer))].flatMap((signer) =>
      whenUnserved(history, signer, () => true),
    ),
  );
