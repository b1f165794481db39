import { Anchor, Text } from '@mantine/core';
import { Link } from 'wouter';
import { useList } from '../api/list.ts';
import type { RowOf } from '../api/list.ts';
import { Address } from './address.tsx';
import { DataTable } from './data-table.tsx';
import type { Column } from './data-table.tsx';
import { nameKind } from './intent-kinds.ts';
import { RowsSkeleton } from './page-skeleton.tsx';
import { ProblemNotice } from './problem-notice.tsx';
import { StatusBadge } from './status-badge.tsx';
import { When } from './when.tsx';

const SHOWN = 8;
const EVERY_MS = 5_000;

const COLUMNS: Column<RowOf<'/intents'>>[] = [
  {
    name: 'What',
    render: ({ id, kind }) => (
      <Anchor component={Link} href={`/intents/${id}`} inherit>
        {nameKind(kind)}
      </Anchor>
    ),
  },
  { name: 'Status', render: ({ status }) => <StatusBadge status={status} /> },
  {
    name: 'Transaction',
    render: ({ transaction }) =>
      transaction && <Address kind="transaction" value={transaction.hash} href={transaction.explorerUrl} />,
  },
  { name: 'When', render: ({ createdAt }) => <When at={createdAt} as="relative" /> },
];

/** The newest writes to a contract, live. */
export function ContractIntents({ address }: { address: string }) {
  const list = useList('/intents', { query: { contract: address, limit: SHOWN } }, { refetchMs: EVERY_MS });
  if (list.isPending) return <RowsSkeleton rows={3} />;
  if (list.problem) return <ProblemNotice problem={list.problem} onRetry={list.refetch} />;
  if (list.rows.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        Nothing yet. Each write to this contract stands here, with its transaction.
      </Text>
    );
  }
  return (
    <DataTable
      label="Recent intents"
      columns={COLUMNS}
      rows={list.rows.slice(0, SHOWN)}
      keyOf={({ id }) => id}
    />
  );
}
