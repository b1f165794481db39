import { Alert, Button, Checkbox, Group, Progress, Stack, Text } from '@mantine/core';
import { CheckCircleIcon } from '@primer/octicons-react';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { shorten } from '../../../parts/address.tsx';
import { CopyAsCode } from '../../../parts/copy-as-code/copy-as-code.tsx';
import { DataTable } from '../../../parts/data-table.tsx';
import type { Column } from '../../../parts/data-table.tsx';
import { ProblemNotice } from '../../../parts/problem-notice.tsx';
import { Section } from '../../../parts/section.tsx';
import { When } from '../../../parts/when.tsx';
import { MintPrice } from '../mint-price.tsx';
import type { Collection } from '../use-collection.ts';
import { counted } from './bad-cells.tsx';
import { forgottenSince } from './minted-lists.ts';
import { Parts } from './parts.tsx';
import type { Item } from './read-list.ts';
import { describePart } from './send-list.ts';
import type { PartState } from './send-list.ts';
import { splitList } from './split-list.ts';
import type { Part } from './split-list.ts';
import { useSending } from './use-sending.ts';

const SHOWN = 5;

const COLUMNS: Column<Item>[] = [
  { name: 'To', render: ({ to }) => <bdi className="mono">{shorten(to)}</bdi> },
  { name: 'Name', render: ({ metadata }) => <bdi className="break">{metadata?.name ?? ''}</bdi> },
  {
    name: 'Attributes',
    render: ({ metadata }) => (
      <bdi className="break">
        {Object.entries(metadata?.attributes ?? {})
          .map(([key, value]) => `${key}: ${String(value)}`)
          .join(', ')}
      </bdi>
    ),
  },
];

/** A list that is right: what it mints, and how far that is. */
export function CheckedList({
  collection: { address },
  list,
  items,
  onRunning,
}: {
  collection: Collection;
  /** Names it in its Idempotency-Keys. */
  list: string;
  items: readonly Item[];
  onRunning: (isRunning: boolean) => void;
}) {
  const parts = splitList(items);
  const { states, isRunning, start } = useSending(address, list, parts);
  useEffect(() => onRunning(isRunning), [isRunning, onRunning]);
  const [since] = useState(() => forgottenSince(list));
  const [isMeant, setMeant] = useState(false);
  return (
    <>
      <Section title={`${counted(items.length, 'NFT')}, ready to mint`} description={describe(items, parts)}>
        <Stack>
          <DataTable
            label="The first rows"
            columns={COLUMNS}
            rows={items.slice(0, SHOWN)}
            keyOf={(_, index) => String(index)}
          />
          {items.length > SHOWN && (
            <Text size="sm" c="dimmed">
              And {items.length - SHOWN} more.
            </Text>
          )}
          <Text size="sm" c="dimmed">
            The same list is minted once: drop it again after a lost connection or a closed page, and what is
            minted already stays as it is. The service knows a part for 24 hours after it is minted; after
            that the same list mints anew.
          </Text>
          {states === null && since !== null && (
            <Alert color="orange" title="This list was minted before">
              <Text size="sm" mb="sm">
                It was, or a part of it, from this browser on <When at={since} />, which is too long ago for
                the service to know it again: it would be minted a second time.
              </Text>
              <Checkbox
                label="Mint it a second time"
                checked={isMeant}
                onChange={({ currentTarget }) => setMeant(currentTarget.checked)}
              />
            </Alert>
          )}
          {states === null && (
            <Group>
              <Button disabled={since !== null && !isMeant} onClick={start}>
                Mint {counted(items.length, 'NFT')}
              </Button>
              <MintPrice count={items.length} />
            </Group>
          )}
          <CopyAsCode call={describePart(address, parts[0]!)} />
        </Stack>
      </Section>
      {states && <Outcome {...{ address, parts, states, isRunning }} total={items.length} onGoOn={start} />}
    </>
  );
}

function describe(items: readonly Item[], parts: readonly Part[]): string {
  const accounts = new Set(items.map(({ to }) => to.toLowerCase())).size;
  return `For ${counted(accounts, 'account')}, in ${counted(parts.length, 'request')}. Each request is one transaction: all of it is minted, or none.`;
}

function Outcome({
  address,
  parts,
  states,
  isRunning,
  total,
  onGoOn,
}: {
  address: string;
  parts: readonly Part[];
  states: readonly PartState[];
  isRunning: boolean;
  total: number;
  onGoOn: () => void;
}) {
  const done = parts.reduce(
    (sum, { items }, index) => sum + (states[index]!.status === 'minted' ? items.length : 0),
    0,
  );
  const failed = states.find((state) => state.status === 'failed');
  return (
    <Section title="Progress">
      <Stack>
        <div>
          <Progress value={(done / total) * 100} size="lg" aria-label="Minted" animated={isRunning} />
          <Text size="sm" mt={6} role="status">
            {done} of {total} minted
          </Text>
        </div>
        <Parts parts={parts} states={states} />
        {!isRunning && failed && <ProblemNotice problem={failed.problem} />}
        {!isRunning && failed && (
          <Group>
            <Button onClick={onGoOn}>Go on with the rest</Button>
            <Text size="sm" c="dimmed">
              What is minted is not minted again.
            </Text>
          </Group>
        )}
        {done === total && (
          <Alert color="green" icon={<CheckCircleIcon />} title={`${counted(total, 'NFT')} minted`}>
            <Button variant="default" size="xs" mt="xs" component={Link} href={`/collections/${address}`}>
              See the collection
            </Button>
          </Alert>
        )}
      </Stack>
    </Section>
  );
}
