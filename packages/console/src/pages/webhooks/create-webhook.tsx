import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useLocation } from 'wouter';
import type { components } from '../../../../../generated/api.ts';
import { describeCall } from '../../api/call.ts';
import { useSubmission } from '../../api/submission.ts';
import { CopyAsCode } from '../../parts/copy-as-code/copy-as-code.tsx';
import { otherProblem } from '../../parts/field-errors.ts';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { USUAL_EVENTS } from './events.ts';
import { ShownSecret } from './shown-secret.tsx';
import { WEBHOOK_FIELDS, WebhookFields } from './webhook-fields.tsx';
import type { WebhookValues } from './webhook-fields.tsx';

type Created = components['schemas']['CreatedWebhook'];

export function CreateWebhook({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={<Text fw={600}>Add a webhook</Text>}
      size="lg"
      // A secret is shown once: a click beside the dialogue must not take it away.
      closeOnClickOutside={false}
    >
      <CreateForm onClose={onClose} />
    </Modal>
  );
}

/** Made anew each time that the dialogue opens. */
function CreateForm({ onClose }: { onClose: () => void }) {
  const form = useForm<WebhookValues>({ initialValues: { url: '', events: [...USUAL_EVENTS] } });
  const submission = useSubmission<Created>();
  const [, navigate] = useLocation();
  const call = describeCall('post', '/v1/webhooks', { body: form.values });
  const { problem, result } = submission;
  if (result) {
    const { secret, id } = result.data;
    return <ShownSecret secret={secret} onDone={() => navigate(`/webhooks/${id}`)} />;
  }
  return (
    <form onSubmit={form.onSubmit(() => submission.send(call))}>
      <Stack>
        <WebhookFields form={form} problem={problem} />
        <ProblemNotice problem={otherProblem(problem, WEBHOOK_FIELDS)} />
        <CopyAsCode call={call} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={submission.isSending}>
            Add webhook
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
