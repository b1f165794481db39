import { Anchor, Box, Text } from '@mantine/core';
import { LogIcon } from '@primer/octicons-react';
import { Link } from 'wouter';
import { describeCall } from '../../api/call.ts';
import { useList } from '../../api/list.ts';
import type { RowOf } from '../../api/list.ts';
import { CopyAsCode } from '../../parts/copy-as-code/copy-as-code.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import type { Column } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { nameKind } from '../../parts/intent-kinds.ts';
import { MoreRows } from '../../parts/more-rows.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { RowsSkeleton } from '../../parts/page-skeleton.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { When } from '../../parts/when.tsx';

type Entry = RowOf<'/audit'>;

const PAGE = 50;

const COLUMNS: Column<Entry>[] = [
  { name: 'What', render: (entry) => <What {...entry} /> },
  {
    name: 'Who',
    render: ({ actor, credentialId }) => (
      <span title={credentialId ? `Credential ${credentialId}` : undefined}>
        {actor === 'account' ? 'You' : actor === 'operator' ? 'The operator' : 'Somebody who did not get in'}
      </span>
    ),
  },
  {
    name: 'From',
    render: ({ address, userAgent }) =>
      address && (
        <span title={userAgent ?? undefined} className="mono">
          {address}
        </span>
      ),
  },
  { name: 'When', render: ({ createdAt }) => <When at={createdAt} /> },
];

/** What the columns or the link say already, and numbers that nobody knows by heart. */
const NOT_SHOWN = new Set(['id', 'kind', 'intentId']);

/** What was done, for people: of a write its kind, of a sign-in what it got. */
function nameAction({ action, details }: Entry): string {
  const { kind } = details;
  if (action === 'write' && typeof kind === 'string') return nameKind(kind);
  const words = action.replaceAll('_', ' ');
  const of = typeof kind === 'string' ? ` (${kind.replaceAll('_', ' ')})` : '';
  return words.charAt(0).toUpperCase() + words.slice(1) + of;
}

function What(entry: Entry) {
  const { details, environment, intentId } = entry;
  const shown = Object.entries(details).filter(
    ([name, value]) => value !== null && value !== '' && !NOT_SHOWN.has(name),
  );
  return (
    <div>
      <Text fz="sm" fw={500} component="span" mr={6}>
        {intentId ? (
          <Anchor component={Link} href={`/intents/${intentId}`} inherit>
            {nameAction(entry)}
          </Anchor>
        ) : (
          nameAction(entry)
        )}
      </Text>
      {environment === 'sandbox' && <StatusBadge status="sandbox" />}
      <Text size="xs" c="dimmed" className="break">
        {shown.map(([name, value]) => `${name}: ${String(value)}`).join(' · ')}
      </Text>
    </div>
  );
}

export function AuditPage() {
  const list = useList('/audit', { query: { limit: PAGE } });
  return (
    <>
      <PageHeader
        title="Audit log"
        description="Every change of this account, who made it and from where. No entry is ever changed: each is linked by a hash to the one before."
      />
      <Box mb="md">
        <CopyAsCode call={describeCall('get', '/audit', { query: { limit: PAGE } })} />
      </Box>
      {list.isPending && <RowsSkeleton />}
      <ProblemNotice problem={list.problem} onRetry={list.refetch} />
      {!list.isPending && !list.problem && list.rows.length === 0 && (
        <EmptyState icon={<LogIcon size={24} />} title="Nothing yet">
          Sign-ins, keys, webhooks and every write to the chain stand here.
        </EmptyState>
      )}
      {list.rows.length > 0 && (
        <DataTable
          label="Audit log"
          columns={COLUMNS}
          rows={list.rows}
          keyOf={({ createdAt }, index) => `${createdAt} ${index}`}
        />
      )}
      <MoreRows list={list} />
    </>
  );
}
