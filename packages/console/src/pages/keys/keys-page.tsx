import { Button, Group, Switch } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { KeyIcon, PlusIcon } from '@primer/octicons-react';
import { useState } from 'react';
import { useList } from '../../api/list.ts';
import type { RowOf } from '../../api/list.ts';
import { DataTable } from '../../parts/data-table.tsx';
import type { Column } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { MoreRows } from '../../parts/more-rows.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { RowsSkeleton } from '../../parts/page-skeleton.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { When } from '../../parts/when.tsx';
import { CreateKey } from './create-key.tsx';
import { RevokeKey } from './revoke-key.tsx';

type Key = RowOf<'/v1/api-keys'>;

const PAGE = 50;

export function KeysPage() {
  const [isCreating, { open, close }] = useDisclosure(false);
  const [withRevoked, setWithRevoked] = useState(false);
  const [revoking, setRevoking] = useState<Key | null>(null);
  const list = useList('/v1/api-keys', { query: { limit: PAGE } });
  const rows = list.rows.filter(({ revokedAt }) => withRevoked || revokedAt === null);
  return (
    <>
      <PageHeader
        title="API keys"
        description="For programs. A key does everything that the account may do, except change the account itself; it has no end until it is revoked."
        actions={
          <Button leftSection={<PlusIcon />} onClick={open}>
            Create key
          </Button>
        }
      />
      {list.rows.some(({ revokedAt }) => revokedAt !== null) && (
        <Group justify="flex-end" mb="sm">
          <Switch
            size="sm"
            label="Show revoked keys"
            checked={withRevoked}
            onChange={({ currentTarget }) => setWithRevoked(currentTarget.checked)}
          />
        </Group>
      )}
      {list.isPending && <RowsSkeleton rows={3} />}
      <ProblemNotice problem={list.problem} onRetry={list.refetch} />
      {!list.isPending && !list.problem && rows.length === 0 && (
        <EmptyState
          icon={<KeyIcon size={24} />}
          title="No keys yet"
          actions={<Button onClick={open}>Create your first key</Button>}
        >
          A server of yours sends its key with each request, as <code>Authorization: Bearer mtk_…</code>. Give
          each program a key of its own, so that you can revoke one without stopping the others. A sandbox key
          costs nothing and sends nothing to a chain.
        </EmptyState>
      )}
      {rows.length > 0 && <Keys rows={rows} onRevoke={setRevoking} />}
      <MoreRows list={list} />
      <CreateKey isOpen={isCreating} onClose={close} />
      <RevokeKey apiKey={revoking} onClose={() => setRevoking(null)} />
    </>
  );
}

function Keys({ rows, onRevoke }: { rows: readonly Key[]; onRevoke: (key: Key) => void }) {
  const columns: Column<Key>[] = [
    {
      name: 'Name',
      render: ({ name }) => <bdi className="break">{name}</bdi>,
    },
    { name: 'Key', render: ({ keyPrefix }) => <span className="mono">{keyPrefix}…</span> },
    { name: 'Environment', render: ({ environment }) => <StatusBadge status={environment} /> },
    { name: 'Created', render: ({ createdAt }) => <When at={createdAt} as="day" /> },
    {
      name: '',
      isNumber: true,
      render: (key) =>
        key.revokedAt === null ? (
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => onRevoke(key)}
            aria-label={`Revoke ${key.name}, ${key.keyPrefix}`}
          >
            Revoke
          </Button>
        ) : (
          <span>
            revoked <When at={key.revokedAt} as="day" />
          </span>
        ),
    },
  ];
  return <DataTable label="API keys" columns={columns} rows={rows} keyOf={({ id }) => id} />;
}
