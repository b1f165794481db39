/** What a command answers: one value for programs, one text for people. */
export interface Report {
  json: unknown;
  text: string;
}

/** The text of a value, for programs; numbers beyond JSON's are strings of digits. */
export const toJson = (value: unknown): string =>
  JSON.stringify(value, (_, item: unknown) => (typeof item === 'bigint' ? String(item) : item), 2);

/** A cell of a table. Null is shown as a dash. */
export type Cell = string | number | bigint | boolean | Date | null;

/** A table with aligned columns; `empty` stands in its place when there are no rows. */
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

/** Names and values, one a line. */
export function list(entries: readonly (readonly [string, Cell])[]): string {
  const width = Math.max(...entries.map(([name]) => name.length));
  return entries.map(([name, value]) => `${name.padEnd(width)}  ${show(value)}`).join('\n');
}

const pad = (text: string, width: number): string => text + ' '.repeat(width - [...text].length);

function show(cell: Cell): string {
  if (cell === null) return '-';
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no';
  if (cell instanceof Date) return cell.toISOString();
  return printable(String(cell));
}

/** What others chose (an e-mail, the reason of a revert) must not move the cursor of a terminal. */
export const printable = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}]/gu, '?');
