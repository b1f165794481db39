/** A Markdown table: a reader for each column. */
export type Columns<Row> = readonly [name: string, read: (row: Row) => string | number][];

export function renderTable<Row>(columns: Columns<Row>, rows: readonly Row[]): string {
  const line = (cells: (string | number)[]): string => `| ${cells.join(' | ')} |`;
  return [
    line(columns.map(([name]) => name)),
    line(columns.map(() => '---')),
    ...rows.map((row) => line(columns.map(([, read]) => read(row)))),
  ].join('\n');
}
