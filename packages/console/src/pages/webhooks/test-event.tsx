import { Button, Text } from '@mantine/core';
import { PaperAirplaneIcon } from '@primer/octicons-react';
import type { components } from '../../../../../generated/api.ts';
import { describeCall } from '../../api/call.ts';
import { useSubmission } from '../../api/submission.ts';
import { CopyAsCode } from '../../parts/copy-as-code/copy-as-code.tsx';
import { notifyDone } from '../../parts/notify.ts';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { Section } from '../../parts/section.tsx';

type Schemas = components['schemas'];

/** Sends `webhook.test`. What comes of it stands among the deliveries. */
export function TestEvent({ webhook: { id, enabled } }: { webhook: Schemas['Webhook'] }) {
  const submission = useSubmission<Schemas['WebhookDelivery']>({
    onDone: () => notifyDone('A test event is on its way'),
  });
  const call = describeCall('post', '/v1/webhooks/{id}/test', { path: { id } });
  return (
    <Section
      title="Try it"
      description="Sends webhook.test, whatever events are chosen. What your server answers stands in the deliveries a moment later."
    >
      <ProblemNotice problem={submission.problem} />
      <Button
        my="xs"
        variant="default"
        leftSection={<PaperAirplaneIcon />}
        disabled={!enabled}
        loading={submission.isSending}
        onClick={() => submission.send(call)}
      >
        Send test event
      </Button>
      {!enabled && (
        <Text size="sm" c="dimmed">
          Enable the webhook first.
        </Text>
      )}
      <CopyAsCode call={call} />
    </Section>
  );
}
