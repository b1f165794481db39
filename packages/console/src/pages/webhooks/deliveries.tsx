import { Anchor, Box, Group, NativeSelect, Text, Title } from '@mantine/core';
import { InboxIcon } from '@primer/octicons-react';
import { useRef, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { describeCall } from '../../api/call.ts';
import { useList } from '../../api/list.ts';
import type { RowOf } from '../../api/list.ts';
import { CopyAsCode } from '../../parts/copy-as-code/copy-as-code.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import type { Column } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { LiveBar } from '../../parts/live-bar.tsx';
import { useLiveRows } from '../../parts/live-rows.ts';
import { MoreRows } from '../../parts/more-rows.tsx';
import { RowsSkeleton } from '../../parts/page-skeleton.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { When } from '../../parts/when.tsx';
import { DeliveryDetails } from './delivery-details.tsx';

type Delivery = RowOf<'/v1/webhooks/{id}/deliveries'>;
type Status = Delivery['status'];

const PAGE = 25;
const EVERY_MS = 3_000;
const STATUSES: readonly Status[] = ['pending', 'delivered', 'failed'];

/** What was sent to a webhook and what came of it, live. The filter is kept in the address of the page. */
export function Deliveries({ webhookId, isEnabled }: { webhookId: string; isEnabled: boolean }) {
  const given = new URLSearchParams(useSearch()).get('status');
  const status = STATUSES.find((each) => each === given);
  const [path, navigate] = useLocation();
  return (
    <section aria-label="Deliveries">
      <Group justify="space-between" mb="xs">
        <Title order={2} fz={17}>
          Deliveries
        </Title>
        <NativeSelect
          aria-label="Status of deliveries"
          value={status ?? ''}
          data={[{ value: '', label: 'Any status' }, ...STATUSES.map((value) => ({ value, label: value }))]}
          onChange={({ currentTarget: { value } }) =>
            navigate(value === '' ? path : `${path}?status=${value}`, { replace: true })
          }
        />
      </Group>
      <Log key={status} {...{ webhookId, isEnabled, status }} />
    </section>
  );
}

function Log({
  webhookId,
  isEnabled,
  status,
}: {
  webhookId: string;
  isEnabled: boolean;
  status: Status | undefined;
}) {
  const values = { path: { id: webhookId }, query: { limit: PAGE, ...(status && { status }) } };
  const list = useList('/v1/webhooks/{id}/deliveries', values, { refetchMs: EVERY_MS });
  const place = useRef<HTMLDivElement>(null);
  const { rows, heldBack, showNew } = useLiveRows(list, place);
  const [openId, setOpenId] = useState<string | null>(null);
  if (list.isPending) return <RowsSkeleton rows={4} />;
  if (!list.wasRead) return <ProblemNotice problem={list.problem} onRetry={list.refetch} />;
  return (
    <>
      <LiveBar problem={list.problem} heldBack={heldBack} onShowNew={showNew} />
      {rows.length === 0 ? (
        <EmptyState
          icon={<InboxIcon size={24} />}
          title={status ? `No delivery is ${status}` : 'Nothing was sent yet'}
        >
          What was sent in the last 30 days stands here, with what your server answered. A message that it
          does not take is tried ten times in three days.
        </EmptyState>
      ) : (
        <div ref={place}>
          <DataTable label="Deliveries" columns={columnsOf(setOpenId)} rows={rows} keyOf={({ id }) => id} />
        </div>
      )}
      <MoreRows list={list} />
      <Box mt="sm">
        <CopyAsCode call={describeCall('get', '/v1/webhooks/{id}/deliveries', values)} />
      </Box>
      <DeliveryDetails
        webhookId={webhookId}
        isEnabled={isEnabled}
        delivery={rows.find(({ id }) => id === openId) ?? null}
        onClose={() => setOpenId(null)}
      />
    </>
  );
}

function columnsOf(open: (id: string) => void): Column<Delivery>[] {
  return [
    {
      name: 'Event',
      render: ({ id, event }) => (
        <Anchor component="button" type="button" inherit fw={500} onClick={() => open(id)}>
          {event}
        </Anchor>
      ),
    },
    { name: 'Status', render: ({ status }) => <StatusBadge status={status} /> },
    {
      name: 'Answer',
      render: ({ responseStatus, error, status }) => (
        <Text inherit span lineClamp={1} className="break" title={error ?? undefined}>
          {status === 'delivered' ? responseStatus : error}
        </Text>
      ),
    },
    {
      name: 'Attempts',
      isNumber: true,
      render: ({ attempts }) => attempts,
    },
    { name: 'When', render: ({ createdAt }) => <When at={createdAt} as="relative" /> },
  ];
}
