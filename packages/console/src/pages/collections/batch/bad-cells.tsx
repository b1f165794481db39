import { Alert, ScrollArea, Text } from '@mantine/core';
import { AlertIcon } from '@primer/octicons-react';
import { groupDigits } from '../../../parts/amount-text.ts';
import { DataTable } from '../../../parts/data-table.tsx';
import type { Column } from '../../../parts/data-table.tsx';
import type { BadCell } from './read-list.ts';

/** More are not drawn; they are counted. */
const MAX_SHOWN = 1_000;
const MAX_VALUE = 80;

const COLUMNS: Column<BadCell>[] = [
  { name: 'Row', render: ({ row }) => row },
  {
    name: 'Column',
    render: ({ column }) => <bdi className="break">{column === '' ? 'the row' : column}</bdi>,
  },
  { name: 'Value', render: ({ value }) => <bdi className="mono break">{shorten(value)}</bdi> },
  { name: 'What is wrong', render: ({ column, message }) => `${column === '' ? 'It' : column} ${message}` },
];

const shorten = (value: string): string =>
  value.length > MAX_VALUE ? `${value.slice(0, MAX_VALUE)}…` : value;

/** Everything that is wrong with a list, so that it can be mended in one go. */
export function BadCells({ bad }: { bad: readonly BadCell[] }) {
  const rows = new Set(bad.map(({ row }) => row)).size;
  return (
    <section aria-label="What is wrong">
      <Alert
        color="red"
        icon={<AlertIcon />}
        title={`${counted(rows, 'row')} to be corrected`}
        mb="md"
        role="alert"
      >
        Nothing was sent. Correct the list and paste or drop it again.
      </Alert>
      <ScrollArea.Autosize mah={480} type="auto" viewportProps={{ tabIndex: 0 }}>
        <DataTable
          label="What is wrong"
          columns={COLUMNS}
          rows={bad.slice(0, MAX_SHOWN)}
          keyOf={(_, index) => String(index)}
        />
      </ScrollArea.Autosize>
      {bad.length > MAX_SHOWN && (
        <Text size="sm" c="dimmed" mt="xs">
          And {counted(bad.length - MAX_SHOWN, 'further problem')}.
        </Text>
      )}
    </section>
  );
}

/** @returns like `1 row` or `1,200 rows` */
export function counted(count: number, thing: string): string {
  return `${groupDigits(String(count))} ${thing}${count === 1 ? '' : 's'}`;
}
