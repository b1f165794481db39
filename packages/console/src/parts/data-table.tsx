import { Paper } from '@mantine/core';
import type { ReactNode } from 'react';
import styles from './data-table.module.css';

export interface Column<Row> {
  /** Stands above the column, and before each value on a phone. Empty for a column of buttons. */
  name: string;
  render: (row: Row) => ReactNode;
  /** Figures stand at the right. */
  isNumber?: boolean;
}

/**
 * A list with columns, which becomes a list of cards on a phone. The first column says what the row is. Roles are said
 * outright: browsers drop those of a table whose rows are laid out otherwise.
 */
export function DataTable<Row>({
  label,
  columns,
  rows,
  keyOf,
}: {
  /** What is listed, for those who do not see it. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row, index: number) => string;
}) {
  return (
    <Paper withBorder className={styles.frame}>
      <table role="table" aria-label={label} className={styles.table}>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ name, isNumber }) =>
              name === '' ? (
                <td key={name} role="cell" />
              ) : (
                <th key={name} role="columnheader" scope="col" data-number={isNumber}>
                  {name}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row, index) => (
            <tr key={keyOf(row, index)} role="row">
              {columns.map(({ name, render, isNumber }) => (
                <td key={name} role="cell" data-name={name} data-number={isNumber}>
                  {render(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Paper>
  );
}
