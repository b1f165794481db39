import { Anchor, Button, Group, Text } from '@mantine/core';
import { RocketIcon } from '@primer/octicons-react';
import { Link } from 'wouter';
import { useList } from '../../api/list.ts';
import type { RowOf } from '../../api/list.ts';
import { Address } from '../../parts/address.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import type { Column } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { nameKind } from '../../parts/intent-kinds.ts';
import { RowsSkeleton } from '../../parts/page-skeleton.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { When } from '../../parts/when.tsx';

const SHOWN = 8;
const EVERY_MS = 5_000;

type Intent = RowOf<'/intents'>;

const COLUMNS: Column<Intent>[] = [
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

/** The newest writes, live. */
export function RecentIntents() {
  const list = useList('/intents', { query: { limit: SHOWN } }, { refetchMs: EVERY_MS });
  return (
    <section aria-label="What happened last">
      <Group justify="space-between" mb="sm">
        <Text fw={600} component="h2">
          What happened last
        </Text>
        {list.rows.length > 0 && (
          <Anchor component={Link} href="/intents" size="sm">
            All intents
          </Anchor>
        )}
      </Group>
      {list.isPending && <RowsSkeleton rows={4} />}
      <ProblemNotice problem={list.problem} onRetry={list.refetch} />
      {!list.isPending && !list.problem && list.rows.length === 0 && <FirstSteps />}
      {list.rows.length > 0 && (
        <DataTable
          label="What happened last"
          columns={COLUMNS}
          rows={list.rows.slice(0, SHOWN)}
          keyOf={({ id }) => id}
        />
      )}
    </section>
  );
}

function FirstSteps() {
  return (
    <EmptyState
      icon={<RocketIcon size={24} />}
      title="Nothing has happened yet"
      actions={
        <>
          <Button component={Link} href="/tokens/new">
            Deploy a token
          </Button>
          <Button variant="default" component={Link} href="/keys">
            Create an API key
          </Button>
        </>
      }
    >
      Every write to the chain is an intent, and stands here with its transaction. Deploy a token, mint it,
      and watch both arrive; or create an API key and do it from a program.
    </EmptyState>
  );
}
