import { Modal, Text } from '@mantine/core';
import type { components } from '../../../../../generated/api.ts';
import { describeCall } from '../../api/call.ts';
import { useSubmission } from '../../api/submission.ts';
import { notifyDone } from '../../parts/notify.ts';
import { WebhookForm } from './webhook-form.tsx';

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
  const submission = useSubmission<Webhook>({
    onDone: () => {
      onClose();
      notifyDone('The webhook is changed');
    },
  });
  return (
    <WebhookForm
      initialValues={{ url, events }}
      toCall={(body) => describeCall('patch', '/v1/webhooks/{id}', { path: { id }, body })}
      submission={submission}
      action="Save"
      isNew={false}
      onClose={onClose}
    />
  );
}
