import { Anchor, Box, Button, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { PlusIcon, WebhookIcon } from '@primer/octicons-react';
import { Link } from 'wouter';
import { describeCall } from '../../api/call.ts';
import { useList } from '../../api/list.ts';
import type { RowOf } from '../../api/list.ts';
import { CopyAsCode } from '../../parts/copy-as-code/copy-as-code.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import type { Column } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { MoreRows } from '../../parts/more-rows.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { RowsSkeleton } from '../../parts/page-skeleton.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { Section } from '../../parts/section.tsx';
import { When } from '../../parts/when.tsx';
import { CreateWebhook } from './create-webhook.tsx';
import { VerifyCode } from './verify-code.tsx';
import { WebhookState } from './webhook-state.tsx';

type Webhook = RowOf<'/v1/webhooks'>;

const PAGE = 50;
const VALUES = { query: { limit: PAGE } };

const COLUMNS: Column<Webhook>[] = [
  {
    name: 'URL',
    render: ({ id, url }) => (
      <Anchor
        component={Link}
        href={`/webhooks/${id}`}
        inherit
        fw={500}
        className="break"
        lineClamp={3}
        title={url}
      >
        <bdi>{url}</bdi>
      </Anchor>
    ),
  },
  { name: 'Events', render: ({ events }) => events.join(', ') },
  { name: 'State', render: (webhook) => <WebhookState webhook={webhook} /> },
  { name: 'Created', render: ({ createdAt }) => <When at={createdAt} as="day" /> },
];

export function WebhooksPage() {
  const [isCreating, { open, close }] = useDisclosure(false);
  const list = useList('/v1/webhooks', VALUES);
  return (
    <>
      <PageHeader
        title="Webhooks"
        description="The service tells a server of yours what becomes of each write, signed, and tries again for three days until it is heard."
        actions={
          <Button leftSection={<PlusIcon />} onClick={open}>
            Add webhook
          </Button>
        }
      />
      {list.isPending && <RowsSkeleton rows={3} />}
      <ProblemNotice problem={list.problem} onRetry={list.refetch} />
      {!list.isPending && !list.problem && list.rows.length === 0 && <NoWebhooks onAdd={open} />}
      {list.rows.length > 0 && (
        <DataTable label="Webhooks" columns={COLUMNS} rows={list.rows} keyOf={({ id }) => id} />
      )}
      <MoreRows list={list} />
      <Box mt="md">
        <CopyAsCode call={describeCall('get', '/v1/webhooks', VALUES)} />
      </Box>
      <CreateWebhook isOpen={isCreating} onClose={close} />
    </>
  );
}

function NoWebhooks({ onAdd }: { onAdd: () => void }) {
  return (
    <Stack gap="lg">
      <EmptyState
        icon={<WebhookIcon size={24} />}
        title="No webhooks yet"
        actions={<Button onClick={onAdd}>Add your first webhook</Button>}
      >
        Instead of asking for an intent again and again, be told: once it is confirmed, when it failed, and
        when a reorg took it back.
      </EmptyState>
      <Section title="A receiver to start from">
        <VerifyCode />
      </Section>
    </Stack>
  );
}
