/** The output of a command: one value for programs, one text for people. */
export interface Report {
  json: unknown;
  text: string;
}

/** Returns a value as JSON; a bigint is a string of digits. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) => (typeof item === 'bigint' ? String(item) : item), 2);
}

/** A cell of a table. Null is shown as a dash. */
export type Cell = string | number | bigint | boolean | Date | null;

/** Returns a table with aligned columns, or `empty` when there are no rows. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly Cell[])[],
  empty: string,
): string {
  if (rows.length === 0) return empty;
  const lines = [headings, ...rows.map((row) => row.map(show))];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => [...line[column]!].length)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => pad(cell, widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Returns names and values, one a line. */
export function list(entries: readonly (readonly [string, Cell])[]): string {
  const width = Math.max(...entries.map(([name]) => name.length));
  return entries.map(([name, value]) => `${name.padEnd(width)}  ${show(value)}`).join('\n');
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(width - [...text].length);
}

function show(cell: Cell): string {
  if (cell === null) return '-';
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no';
  if (cell instanceof Date) return cell.toISOString();
  return printable(String(cell));
}

/** Replaces control characters: text of others (an e-mail, the reason of a revert) must not control the terminal. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}]/gu, '?');
}
