import { Alert, Progress as Bar, Button, Group, ScrollArea, Stack, Text } from '@mantine/core';
import { CheckCircleIcon } from '@primer/octicons-react';
import { Link } from 'wouter';
import { shorten } from '../../../parts/address.tsx';
import { DataTable } from '../../../parts/data-table.tsx';
import type { Column } from '../../../parts/data-table.tsx';
import { adviseOn } from '../../../parts/explain-failure.ts';
import { ProblemNotice } from '../../../parts/problem-notice.tsx';
import { Section } from '../../../parts/section.tsx';
import { counted } from './bad-cells.tsx';
import { goOn, stopRun } from './list-run.ts';
import type { ListRun } from './list-run.ts';
import type { RunningRow } from './run-rows.ts';

/** More are not drawn; they are counted. */
const MAX_FAILED = 200;

const FAILED: Column<RunningRow>[] = [
  { name: 'Row', render: ({ row }) => row.row },
  { name: 'To', render: ({ row }) => <bdi className="mono">{shorten(row.item.to)}</bdi> },
  {
    name: 'Why',
    render: ({ state }) => state.status === 'failed' && <Why message={state.problem.message} />,
  },
];

function Why({ message }: { message: string }) {
  return (
    <>
      <bdi className="break">{message}</bdi>
      <Text size="xs" c="dimmed">
        {adviseOn(message)}
      </Text>
    </>
  );
}

/** How far a list is, and what can be done where it stands still. */
export function Progress({ run: { rows, isRunning, problem, trouble, address } }: { run: ListRun }) {
  const of = (status: string): RunningRow[] => rows.filter(({ state }) => state.status === status);
  const [minted, accepted, failed] = [of('minted').length, of('accepted').length, of('failed')];
  const rest = rows.length - minted - failed.length;
  const details = [
    `${minted} of ${rows.length} minted`,
    ...(accepted > 0 ? [`${accepted} accepted and not on the chain yet`] : []),
    ...(failed.length > 0 ? [`${failed.length} failed`] : []),
  ];
  return (
    <Section title="Progress">
      <Stack>
        <div>
          <Bar.Root size="lg">
            <Bar.Section value={(minted / rows.length) * 100} aria-label="Minted" animated={isRunning} />
            <Bar.Section value={(failed.length / rows.length) * 100} color="red" aria-label="Failed" />
          </Bar.Root>
          <Text size="sm" mt={6} role="status">
            {details.join(', ')}
          </Text>
        </div>
        {trouble && (
          <Text size="sm" c="dimmed">
            {trouble.message} It goes on by itself, also when you leave this page.
          </Text>
        )}
        <ProblemNotice problem={problem} />
        {failed.length > 0 && <Failed rows={failed} />}
        <Group>
          {isRunning && (
            <Button variant="default" onClick={stopRun}>
              Stop
            </Button>
          )}
          {!isRunning && rest > 0 && <Button onClick={() => goOn()}>Go on with the rest</Button>}
          {!isRunning && failed.length > 0 && (
            <Button variant="default" onClick={() => goOn({ withFailed: true })}>
              Try the failed again
            </Button>
          )}
        </Group>
        {!isRunning && failed.length > 0 && (
          <Text size="sm" c="dimmed">
            Or correct them in the list and take it again: what is minted is left out.
          </Text>
        )}
        {rest === 0 && minted > 0 && (
          <Alert color="green" icon={<CheckCircleIcon />} title={`${counted(minted, 'NFT')} minted`}>
            <Button variant="default" size="xs" mt="xs" component={Link} href={`/collections/${address}`}>
              See the collection
            </Button>
          </Alert>
        )}
      </Stack>
    </Section>
  );
}

function Failed({ rows }: { rows: readonly RunningRow[] }) {
  return (
    <>
      <ScrollArea.Autosize mah={360} type="auto" viewportProps={{ tabIndex: 0 }}>
        <DataTable
          label="Failed rows"
          columns={FAILED}
          rows={rows.slice(0, MAX_FAILED)}
          keyOf={({ row }) => row.name}
        />
      </ScrollArea.Autosize>
      {rows.length > MAX_FAILED && (
        <Text size="sm" c="dimmed">
          And {counted(rows.length - MAX_FAILED, 'further row')}.
        </Text>
      )}
    </>
  );
}
