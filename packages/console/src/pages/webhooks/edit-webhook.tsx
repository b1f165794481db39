import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { components } from '../../../../../generated/api.ts';
import { describeCall } from '../../api/call.ts';
import { useSubmission } from '../../api/submission.ts';
import { CopyAsCode } from '../../parts/copy-as-code/copy-as-code.tsx';
import { otherProblem } from '../../parts/field-errors.ts';
import { notifyDone } from '../../parts/notify.ts';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { WEBHOOK_FIELDS, WebhookFields } from './webhook-fields.tsx';
import type { WebhookValues } from './webhook-fields.tsx';

type Webhook = components['schemas']['Webhook'];
interface Dialogue {
  webhook: Webhook;
  onClose: () => void;
}

export function EditWebhook({ isOpen, ...props }: Dialogue & { isOpen: boolean }) {
  return (
    <Modal opened={isOpen} onClose={props.onClose} title={<Text fw={600}>Edit the webhook</Text>} size="lg">
      <EditForm {...props} />
    </Modal>
  );
}

/** Made anew each time that the dialogue opens, with what the webhook has then. */
function EditForm({ webhook: { id, url, events }, onClose }: Dialogue) {
  const form = useForm<WebhookValues>({ initialValues: { url, events } });
  const submission = useSubmission<Webhook>({
    onDone: () => {
      onClose();
      notifyDone('The webhook is changed');
    },
  });
  const call = describeCall('patch', '/v1/webhooks/{id}', { path: { id }, body: form.values });
  const { problem } = submission;
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
          <Button type="submit" loading={submission.isSending} disabled={!form.isDirty()}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
