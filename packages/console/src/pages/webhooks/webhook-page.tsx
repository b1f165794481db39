import { Alert, Box, Grid, Stack } from '@mantine/core';
import { useParams } from 'wouter';
import type { components } from '../../../../../generated/api.ts';
import { describeCall } from '../../api/call.ts';
import { toProblem } from '../../api/problem.ts';
import { query } from '../../api/query.ts';
import { CopyAsCode } from '../../parts/copy-as-code/copy-as-code.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Facts } from '../../parts/facts.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { PageSkeleton } from '../../parts/page-skeleton.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { Section } from '../../parts/section.tsx';
import { When } from '../../parts/when.tsx';
import { Deliveries } from './deliveries.tsx';
import { TestEvent } from './test-event.tsx';
import { VerifyCode } from './verify-code.tsx';
import { WebhookActions } from './webhook-actions.tsx';
import { DISABLED_BECAUSE, WebhookState } from './webhook-state.tsx';

type Webhook = components['schemas']['Webhook'];

/** `/webhooks/:id`: what is sent there, and what came of it. */
export function WebhookPage() {
  const { id } = useParams<{ id: string }>();
  const { data: webhook, error } = query.useQuery('get', '/v1/webhooks/{id}', { params: { path: { id } } });
  if (!webhook && !error) return <PageSkeleton />;
  if (!webhook) {
    return (
      <>
        <PageHeader title="Webhook" />
        <ProblemNotice problem={toProblem(error)} />
      </>
    );
  }
  return (
    <>
      <PageHeader
        title={webhook.url}
        description={<WebhookState webhook={webhook} />}
        actions={<WebhookActions webhook={webhook} />}
      />
      <Stack gap="lg">
        {!webhook.enabled && <Disabled webhook={webhook} />}
        <Grid gap="lg">
          <Grid.Col span={{ base: 12, lg: 8 }} order={{ base: 2, lg: 1 }}>
            <Deliveries webhookId={id} isEnabled={webhook.enabled} />
          </Grid.Col>
          <Grid.Col span={{ base: 12, lg: 4 }} order={{ base: 1, lg: 2 }}>
            <Stack gap="lg">
              <Details webhook={webhook} />
              <TestEvent webhook={webhook} />
            </Stack>
          </Grid.Col>
        </Grid>
        <Section title="Receive it">
          <VerifyCode />
        </Section>
      </Stack>
      <Box mt="md">
        <CopyAsCode call={describeCall('get', '/v1/webhooks/{id}', { path: { id } })} />
      </Box>
    </>
  );
}

function Disabled({ webhook: { disabledReason } }: { webhook: Webhook }) {
  return (
    <Alert color="orange" variant="light" title="It is disabled">
      {disabledReason ? `${DISABLED_BECAUSE[disabledReason]} ` : ''}
      Nothing is sent, and what happens meanwhile is not sent later either. Enable it once the receiver is
      well.
    </Alert>
  );
}

function Details({ webhook: { id, environment, events, createdAt, updatedAt } }: { webhook: Webhook }) {
  return (
    <Section title="Details">
      <Facts
        facts={{
          Events: events.map((event) => (
            <div key={event}>
              <code>{event}</code>
            </div>
          )),
          Environment: environment,
          Id: (
            <>
              <span className="mono">{id}</span> <CopyButton text={id} label="webhook id" />
            </>
          ),
          Created: <When at={createdAt} />,
          'Last change': <When at={updatedAt} />,
        }}
      />
    </Section>
  );
}
