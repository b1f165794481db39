import { renderTable } from '../bench/table.ts';

/** One thing that others, or the operator, pay for an attack. */
export interface Figure {
  /** With its unit. */
  what: string;
  /** Before the attack; null where there is nothing to compare with. */
  before: number | null;
  during: number;
  /** What it may be at most during the attack. */
  bound: number;
}

/** What one attack came to. */
export interface Outcome {
  /** What was done, with its numbers. */
  made: string;
  figures: Figure[];
  /** What the service must not do and no figure tells, one sentence each. */
  flaws: string[];
}

/** Makes one attack on a service of its own. */
export type Attack = () => Promise<Outcome>;

export interface Result extends Outcome {
  attack: string;
}

/** NaN, where nothing was measured, is not within any bound. */
const isWithin = ({ during, bound }: Pick<Figure, 'during' | 'bound'>): boolean => during <= bound;

export const isHeld = ({ figures, flaws }: Pick<Outcome, 'figures' | 'flaws'>): boolean =>
  flaws.length === 0 && figures.every(isWithin);

interface Line {
  attack: string;
  made: string;
  what: string;
  before: string;
  during: string;
  bound: string;
  held: string;
}

const DASH = '–';

const numberOf = (value: number | null): string =>
  value === null ? DASH : value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 1 : 0 });
/** A flaw may quote anything. */
const cellOf = (text: string): string => text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|');

function linesOf({ attack, made, figures, flaws }: Result): Line[] {
  const measured = figures.map((figure) => ({
    what: figure.what,
    before: numberOf(figure.before),
    during: numberOf(figure.during),
    bound: numberOf(figure.bound),
    held: isWithin(figure) ? 'yes' : '**no**',
  }));
  const broken = flaws.map((flaw) => ({
    ...{ what: `**${cellOf(flaw)}**`, before: DASH, during: DASH, bound: DASH },
    held: '**no**',
  }));
  // An attack is named once, on the first of its lines.
  return [...measured, ...broken].map((line, index) =>
    index === 0 ? { attack, made: cellOf(made), ...line } : { attack: '', made: '', ...line },
  );
}

/** The results in Markdown: a line for each figure. */
export const tableOf = (results: readonly Result[]): string =>
  renderTable<Line>(
    [
      ['Attack', ({ attack }) => attack],
      ['Made', ({ made }) => made],
      ['Figure', ({ what }) => what],
      ['Before', ({ before }) => before],
      ['During', ({ during }) => during],
      ['At most', ({ bound }) => bound],
      ['Held', ({ held }) => held],
    ],
    results.flatMap(linesOf),
  );

/** The same for programs. */
export const reportOf = (results: readonly Result[]): string =>
  JSON.stringify(
    results.map((result) => ({
      ...result,
      figures: result.figures.map((figure) => ({ ...figure, isHeld: isWithin(figure) })),
      isHeld: isHeld(result),
    })),
    null,
    2,
  );
