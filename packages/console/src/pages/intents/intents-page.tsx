import { Anchor, Box, Button, Text } from '@mantine/core';
import { PulseIcon } from '@primer/octicons-react';
import { useRef } from 'react';
import { Link } from 'wouter';
import { describeCall } from '../../api/call.ts';
import { useList } from '../../api/list.ts';
import type { RowOf } from '../../api/list.ts';
import { sandbox } from '../../api/sandbox.ts';
import { useStore } from '../../api/store.ts';
import { Address } from '../../parts/address.tsx';
import { CopyAsCode } from '../../parts/copy-as-code/copy-as-code.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import type { Column } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { IntentWords } from '../../parts/intent-words.tsx';
import { LiveBar } from '../../parts/live-bar.tsx';
import { useLiveRows } from '../../parts/live-rows.ts';
import { MoreRows } from '../../parts/more-rows.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { RowsSkeleton } from '../../parts/page-skeleton.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { When } from '../../parts/when.tsx';
import { FilterBar } from './filter-bar.tsx';
import { NO_FILTERS, useFilters } from './filters.ts';
import type { Filters } from './filters.ts';

type Intent = RowOf<'/intents'>;

const PAGE = 50;
const EVERY_MS = 3_000;

export function IntentsPage() {
  const [filters, setFilters] = useFilters();
  return (
    <>
      <PageHeader
        title="Intents"
        description="Every write that this service accepted, and how far it has come. It is stored before it is sent, and is carried out once, whatever happens to the service or to the chain meanwhile."
      />
      <FilterBar filters={filters} onChange={setFilters} />
      <LiveIntents key={JSON.stringify(filters)} filters={filters} onClear={() => setFilters(NO_FILTERS)} />
    </>
  );
}

/** Made anew for other filters: what the reader had of the list before is no place in this one. */
function LiveIntents({ filters, onClear }: { filters: Filters; onClear: () => void }) {
  const values = { query: { limit: PAGE, ...filters } };
  const list = useList('/intents', values, { refetchMs: EVERY_MS });
  const place = useRef<HTMLDivElement>(null);
  const { rows, heldBack, showNew } = useLiveRows(list, place);
  const columns = useColumns();
  if (list.isPending) return <RowsSkeleton />;
  if (!list.wasRead) return <ProblemNotice problem={list.problem} onRetry={list.refetch} />;
  return (
    <>
      <LiveBar problem={list.problem} heldBack={heldBack} onShowNew={showNew} />
      {rows.length === 0 ? (
        <NoIntents isFiltered={Object.keys(filters).length > 0} onClear={onClear} />
      ) : (
        <div ref={place}>
          <DataTable label="Intents" columns={columns} rows={rows} keyOf={({ id }) => id} />
        </div>
      )}
      <MoreRows list={list} />
      <Box mt="md">
        <CopyAsCode call={describeCall('get', '/intents', values)} />
      </Box>
    </>
  );
}

function useColumns(): Column<Intent>[] {
  const isSandbox = useStore(sandbox) !== null;
  return [
    {
      name: 'What',
      render: (intent) => (
        <div>
          <Anchor
            component={Link}
            href={`/intents/${intent.id}`}
            inherit
            fw={500}
            lineClamp={3}
            w="fit-content"
          >
            <IntentWords intent={intent} />
          </Anchor>
          {intent.error && (
            <Text size="xs" c="dimmed" className="break" lineClamp={1} title={intent.error.message}>
              {intent.error.message}
            </Text>
          )}
        </div>
      ),
    },
    { name: 'Status', render: ({ status }) => <StatusBadge status={status} /> },
    {
      name: 'Contract',
      render: ({ contract }) => <Address value={contract} {...(isSandbox ? { href: null } : {})} />,
    },
    {
      name: 'Transaction',
      render: ({ transaction }) =>
        transaction && <Address kind="transaction" value={transaction.hash} href={transaction.explorerUrl} />,
    },
    { name: 'When', render: ({ createdAt }) => <When at={createdAt} as="relative" /> },
  ];
}

function NoIntents({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  if (isFiltered) {
    return (
      <EmptyState
        icon={<PulseIcon size={24} />}
        title="No intent is like this"
        actions={
          <Button variant="default" onClick={onClear}>
            Clear the filters
          </Button>
        }
      >
        None of this account fits the filters. One that does appears here by itself.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={<PulseIcon size={24} />}
      title="No intents yet"
      actions={
        <>
          <Button component={Link} href="/tokens/new">
            Deploy a token
          </Button>
          <Button variant="default" component={Link} href="/collections/new">
            Create a collection
          </Button>
        </>
      }
    >
      Each deployment, mint and change of a token becomes an intent, and its answer carries the id in the
      header <code>Intent-Id</code>. Here you see it queued, sent, mined and final, why it waits, and why it
      failed.
    </EmptyState>
  );
}
