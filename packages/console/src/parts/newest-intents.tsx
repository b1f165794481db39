import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useList } from '../api/list.ts';
import type { RowOf } from '../api/list.ts';
import { Address } from './address.tsx';
import { DataTable } from './data-table.tsx';
import type { Column } from './data-table.tsx';
import { IntentWords } from './intent-words.tsx';
import { RowsSkeleton } from './page-skeleton.tsx';
import { ProblemNotice } from './problem-notice.tsx';
import { StatusBadge } from './status-badge.tsx';
import { When } from './when.tsx';

const SHOWN = 8;
const EVERY_MS = 5_000;

const COLUMNS: Column<RowOf<'/intents'>>[] = [
  {
    name: 'What',
    render: (intent) => (
      <Anchor component={Link} href={`/intents/${intent.id}`} inherit lineClamp={3}>
        <IntentWords intent={intent} />
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

/** The newest writes of the account, or those to one contract, live. */
export function NewestIntents({
  label,
  contract,
  children,
}: {
  label: string;
  contract?: string;
  /** What stands here while there is none. */
  children: ReactNode;
}) {
  const query = { limit: SHOWN, ...(contract === undefined ? {} : { contract }) };
  const list = useList('/intents', { query }, { refetchMs: EVERY_MS });
  if (list.isPending) return <RowsSkeleton rows={4} />;
  return (
    <>
      <ProblemNotice problem={list.problem} onRetry={list.refetch} />
      {list.rows.length > 0 && (
        <DataTable label={label} columns={COLUMNS} rows={list.rows.slice(0, SHOWN)} keyOf={({ id }) => id} />
      )}
      {list.wasRead && list.rows.length === 0 && children}
    </>
  );
}
