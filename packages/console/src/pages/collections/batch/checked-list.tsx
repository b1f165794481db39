import { Alert, Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { toProblem } from '../../../api/problem.ts';
import { shorten } from '../../../parts/address.tsx';
import { CopyAsCode } from '../../../parts/copy-as-code/copy-as-code.tsx';
import { DataTable } from '../../../parts/data-table.tsx';
import type { Column } from '../../../parts/data-table.tsx';
import { RowsSkeleton } from '../../../parts/page-skeleton.tsx';
import { ProblemNotice } from '../../../parts/problem-notice.tsx';
import { Section } from '../../../parts/section.tsx';
import { MintPrice, useMintPrice } from '../mint-price.tsx';
import type { Collection } from '../use-collection.ts';
import { counted } from './bad-cells.tsx';
import { KNOWN_ROWS, describeRow, startRun } from './list-run.ts';
import type { Source } from './list-source.tsx';
import { nameRows } from './name-rows.ts';
import { readOutcomes } from './outcomes.ts';
import { planList } from './plan-list.ts';
import type { OpenRow, Plan } from './plan-list.ts';
import type { ReadList } from './read-list.ts';
import { readReceived } from './received.ts';

const SHOWN = 5;

const PLAIN: Column<OpenRow>[] = [
  { name: 'To', render: ({ row }) => <bdi className="mono">{shorten(row.item.to)}</bdi> },
  { name: 'Row', render: ({ row }) => row.row },
];

/** Of rows with metadata as well. */
const DESCRIBED: Column<OpenRow>[] = [
  ...PLAIN,
  {
    name: 'Name',
    render: ({ row }) => <bdi className="break">{row.item.metadata?.name ?? ''}</bdi>,
  },
  {
    name: 'Attributes',
    render: ({ row }) => (
      <bdi className="break">
        {Object.entries(row.item.metadata?.attributes ?? {})
          .map(([key, value]) => `${key}: ${String(value)}`)
          .join(', ')}
      </bdi>
    ),
  },
];

/** A list that is right: what of it is minted already, and what it would mint. */
export function CheckedList({
  collection,
  source,
  read,
}: {
  collection: Collection;
  source: Source;
  read: ReadList;
}) {
  const { address } = collection;
  const [round, setRound] = useState(1);
  const rows = useMemo(() => nameRows(address, read, round), [address, read, round]);
  const known = useQuery({
    queryKey: [KNOWN_ROWS, address],
    queryFn: async () => ({
      outcomes: await readOutcomes(address),
      received: await readReceived(address),
      at: Date.now(),
    }),
  });
  if (known.error)
    return <ProblemNotice problem={toProblem(known.error)} onRetry={() => void known.refetch()} />;
  if (!known.data) return <RowsSkeleton rows={4} />;
  const { outcomes, received, at } = known.data;
  const plan = planList(rows, outcomes, received.counts, at);
  return (
    <Ready
      key={round}
      {...{ address, plan }}
      isCompared={received.isWhole}
      onStart={(open) => startRun(address, source, open)}
      onAgain={() => setRound(round + 1)}
    />
  );
}

function Ready({
  address,
  plan,
  isCompared,
  onStart,
  onAgain,
}: {
  address: string;
  plan: Plan;
  isCompared: boolean;
  onStart: (open: readonly OpenRow[]) => void;
  onAgain: () => void;
}) {
  const { minted, doubtful } = plan;
  const [isMeant, setMeant] = useState(false);
  const open = isMeant ? inOrder([...plan.open, ...doubtful]) : plan.open;
  const { isShort } = useMintPrice(open.length);
  const nothing = minted.length > 0 ? 'Everything in it is minted' : 'Nothing to mint';
  return (
    <Section
      title={open.length === 0 ? nothing : `${counted(open.length, 'NFT')}, ready to mint`}
      description={open.length === 0 ? undefined : describe(open)}
    >
      <Stack>
        {minted.length > 0 && <MintedBefore minted={minted} />}
        {doubtful.length > 0 && <Doubtful count={doubtful.length} isMeant={isMeant} onChange={setMeant} />}
        {!isCompared && (
          <Text size="sm" c="dimmed">
            The collection is too large to compare the list with all of its NFTs: the newest 10,000 were.
          </Text>
        )}
        {open.length === 0 ? (
          doubtful.length === 0 && <Again count={minted.length} onAgain={onAgain} />
        ) : (
          <>
            <DataTable
              label="The first rows"
              columns={open.some(({ row }) => row.item.metadata) ? DESCRIBED : PLAIN}
              rows={open.slice(0, SHOWN)}
              keyOf={({ row }) => row.name}
            />
            {open.length > SHOWN && (
              <Text size="sm" c="dimmed">
                And {open.length - SHOWN} more.
              </Text>
            )}
            <Group>
              <Button disabled={isShort} onClick={() => onStart(open)}>
                Mint {counted(open.length, 'NFT')}
              </Button>
              <MintPrice count={open.length} />
            </Group>
            <CopyAsCode call={describeRow(address, open[0]!.row.item)} />
          </>
        )}
      </Stack>
    </Section>
  );
}

const inOrder = (rows: readonly OpenRow[]): OpenRow[] =>
  rows.toSorted(({ row: one }, { row: other }) => one.row - other.row);

function describe(open: readonly OpenRow[]): string {
  const accounts = new Set(open.map(({ row }) => row.item.to)).size;
  return `For ${counted(accounts, 'account')}, each NFT by a request of its own: a row that fails leaves the others alone. Correct it and drop the list again; what is minted is known by its content and stays as it is.`;
}

function MintedBefore({ minted }: { minted: Plan['minted'] }) {
  const ids = minted.flatMap(({ tokenId }) => (tokenId === null ? [] : [BigInt(tokenId)]));
  const [first, last] = [ids.reduce((a, b) => (a < b ? a : b)), ids.reduce((a, b) => (a > b ? a : b))];
  return (
    <Alert color="green" title={`${counted(minted.length, 'row')} minted already`}>
      Left out: {minted.length === 1 ? `it is #${first}` : `they are between #${first} and #${last}`}.
    </Alert>
  );
}

function Doubtful({
  count,
  isMeant,
  onChange,
}: {
  count: number;
  isMeant: boolean;
  onChange: (isMeant: boolean) => void;
}) {
  return (
    <Alert color="orange" title={`${counted(count, 'row')} may be minted already`}>
      <Text size="sm" mb="sm">
        Their recipients were sent NFTs of this collection that this browser does not know: from another
        browser, by a program, or so long ago that the service does not know them by their row. They are left
        out.
      </Text>
      <Checkbox
        label="Mint them too"
        checked={isMeant}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
    </Alert>
  );
}

function Again({ count, onAgain }: { count: number; onAgain: () => void }) {
  const [isMeant, setMeant] = useState(false);
  return (
    <Group>
      <Checkbox
        label={`Mint ${count === 1 ? 'it' : `all ${count}`} a second time`}
        checked={isMeant}
        onChange={({ currentTarget }) => setMeant(currentTarget.checked)}
      />
      <Button variant="default" size="xs" disabled={!isMeant} onClick={onAgain}>
        Look at it first
      </Button>
    </Group>
  );
}
