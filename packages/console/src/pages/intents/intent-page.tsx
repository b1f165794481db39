import { Anchor, Box, Button, Grid, Group, Skeleton, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, useParams } from 'wouter';
import type { components } from '../../../../../generated/api.ts';
import { describeCall } from '../../api/call.ts';
import { toProblem } from '../../api/problem.ts';
import { query } from '../../api/query.ts';
import { sandbox } from '../../api/sandbox.ts';
import { useStore } from '../../api/store.ts';
import { Address } from '../../parts/address.tsx';
import { ConfirmCall } from '../../parts/confirm-call.tsx';
import { CopyAsCode } from '../../parts/copy-as-code/copy-as-code.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Facts } from '../../parts/facts.tsx';
import { nameKind } from '../../parts/intent-kinds.ts';
import { IntentWords } from '../../parts/intent-words.tsx';
import { notifyDone } from '../../parts/notify.ts';
import { PageHeader } from '../../parts/page-header.tsx';
import { PageSkeleton } from '../../parts/page-skeleton.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { Section } from '../../parts/section.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { When } from '../../parts/when.tsx';
import { FailureNotice } from './failure-notice.tsx';
import { Timeline } from './timeline.tsx';
import { everyMs, isOpen } from './timeline-steps.ts';
import { WaitingNotice } from './waiting-notice.tsx';

type Intent = components['schemas']['Intent'];

const OPEN_MS = 2_000;

/** `/intents/:id`: one write from its acceptance to a final block, followed as it goes on. */
export function IntentPage() {
  const { id } = useParams<{ id: string }>();
  const init = { params: { path: { id } } };
  const timeline = query.useQuery('get', '/intents/{id}/timeline', init, {
    refetchInterval: ({ state }) => everyMs(state.data?.data),
  });
  const { data: intent, error } = query.useQuery('get', '/intents/{id}', init, {
    refetchInterval: ({ state }) =>
      state.data && isOpen(state.data) ? OPEN_MS : everyMs(timeline.data?.data),
  });
  if (!intent && !error) return <PageSkeleton />;
  if (!intent) {
    return (
      <>
        <PageHeader title="Intent" />
        <ProblemNotice problem={toProblem(error)} />
      </>
    );
  }
  return (
    <>
      <Heading intent={intent} />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, lg: 8 }}>
          <Stack gap="lg">
            {intent.waiting && <WaitingNotice waiting={intent.waiting} />}
            {intent.error && <FailureNotice error={intent.error} />}
            <Section title="Timeline">
              {timeline.data ? (
                <Timeline entries={timeline.data.data} intent={intent} />
              ) : timeline.error ? (
                <ProblemNotice problem={toProblem(timeline.error)} />
              ) : (
                <Skeleton h={200} />
              )}
            </Section>
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 4 }}>
          <Details intent={intent} />
        </Grid.Col>
      </Grid>
      <Box mt="md">
        <CopyAsCode call={describeCall('get', '/intents/{id}', { path: { id } })} />
      </Box>
    </>
  );
}

function Heading({ intent }: { intent: Intent }) {
  const { id, kind, status } = intent;
  const [isAsking, { open, close }] = useDisclosure(false);
  return (
    <>
      <PageHeader
        title={nameKind(kind)}
        description={
          <Group gap="xs" component="span">
            <span role="status" aria-label={`Status: ${status}`}>
              <StatusBadge status={status} />
            </span>
            <IntentWords intent={intent} />
          </Group>
        }
        actions={
          <>
            <Button variant="default" component={Link} href="/intents">
              All intents
            </Button>
            {status === 'queued' && (
              <Button color="red" variant="light" onClick={open}>
                Cancel intent
              </Button>
            )}
          </>
        }
      />
      <ConfirmCall<Intent>
        isOpen={isAsking}
        onClose={close}
        title="Cancel this intent"
        call={describeCall('post', '/intents/{id}/cancel', { path: { id } })}
        action="Cancel intent"
        decline="Keep it"
        isDangerous
        onDone={() => notifyDone('The intent is cancelled')}
      >
        It is not sent yet: withdrawn now, it has no effect on the chain, and its quota or credits are given
        back. A new request is needed to do it after all.
      </ConfirmCall>
    </>
  );
}

function Details({ intent }: { intent: Intent }) {
  const { id, kind, status, contract, transaction, waiting, createdAt, updatedAt } = intent;
  const isSandbox = useStore(sandbox) !== null;
  return (
    <Section title="Details">
      <Facts
        facts={{
          Id: (
            <>
              <span className="mono">{id}</span> <CopyButton text={id} label="intent id" />
            </>
          ),
          Kind: <code>{kind}</code>,
          Status: <code>{status}</code>,
          Contract: (
            <>
              <Address value={contract} {...(isSandbox ? { href: null } : {})} />
              <br />
              <Anchor component={Link} href={`/intents?contract=${contract}`} size="sm">
                Its intents
              </Anchor>
            </>
          ),
          Transaction: transaction && (
            <Address kind="transaction" value={transaction.hash} href={transaction.explorerUrl} />
          ),
          Signer: waiting?.signer && <Address value={waiting.signer} />,
          Nonce: waiting?.nonce,
          Accepted: <When at={createdAt} />,
          'Last change': <When at={updatedAt} />,
        }}
      />
    </Section>
  );
}
