import { Anchor, Text } from '@mantine/core';
import { Link } from 'wouter';
import { query } from '../../../api/query.ts';
import { Address } from '../../../parts/address.tsx';
import { DataTable } from '../../../parts/data-table.tsx';
import type { Column } from '../../../parts/data-table.tsx';
import { StatusBadge } from '../../../parts/status-badge.tsx';
import type { PartState } from './send-list.ts';
import type { Part } from './split-list.ts';

interface Row {
  part: Part;
  state: PartState;
}

const EVERY_MS = 2_000;

const COLUMNS: Column<Row>[] = [
  {
    name: 'Rows of the list',
    render: ({ part: { first, items } }) =>
      items.length === 1 ? first : `${first} to ${first + items.length - 1}`,
  },
  { name: 'Status', render: ({ state }) => <Status state={state} /> },
  { name: 'Result', render: ({ state }) => <Result state={state} /> },
];

/** The requests of a list, and what became of each. */
export function Parts({ parts, states }: { parts: readonly Part[]; states: readonly PartState[] }) {
  const rows = parts.map((part, index) => ({ part, state: states[index]! }));
  return <DataTable label="Requests" columns={COLUMNS} rows={rows} keyOf={(_, index) => String(index)} />;
}

function Status({ state }: { state: PartState }) {
  if (state.status === 'accepted') return <LiveStatus intentId={state.intentId} />;
  const tones = {
    waiting: 'quiet',
    sending: 'busy',
    retrying: 'warn',
    minted: 'good',
    failed: 'bad',
  } as const;
  return <StatusBadge status={state.status} tone={tones[state.status]} />;
}

/** Of a part that the chain has not brought about yet. */
function LiveStatus({ intentId }: { intentId: string }) {
  const { data } = query.useQuery(
    'get',
    '/intents/{id}',
    { params: { path: { id: intentId } } },
    { refetchInterval: ({ state }) => (isOpen(state.data?.status) ? EVERY_MS : false) },
  );
  return <StatusBadge status={data?.status ?? 'submitted'} />;
}

const isOpen = (status: string | undefined): boolean =>
  status === undefined || status === 'queued' || status === 'submitted';

function Result({ state }: { state: PartState }) {
  switch (state.status) {
    case 'minted': {
      const { tokens, transaction } = state.minted;
      const [first, last] = [tokens[0]!.tokenId, tokens.at(-1)!.tokenId];
      return (
        <>
          {first === last ? `#${first} ` : `#${first} to #${last} `}
          {transaction && (
            <Address kind="transaction" value={transaction.hash} href={transaction.explorerUrl} />
          )}
        </>
      );
    }
    case 'accepted':
      return (
        <Anchor component={Link} href={`/intents/${state.intentId}`} inherit>
          Follow it
        </Anchor>
      );
    case 'retrying':
    case 'failed':
      return (
        <Text span inherit c="dimmed" className="break">
          {state.problem.message}
        </Text>
      );
    default:
      return null;
  }
}
