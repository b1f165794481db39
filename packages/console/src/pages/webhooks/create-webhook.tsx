import { Modal, Text } from '@mantine/core';
import { useLocation } from 'wouter';
import type { components } from '../../../../../generated/api.ts';
import { describeCall } from '../../api/call.ts';
import { useSubmission } from '../../api/submission.ts';
import { USUAL_EVENTS } from './events.ts';
import { ShownSecret } from './shown-secret.tsx';
import { WebhookForm } from './webhook-form.tsx';

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
  const submission = useSubmission<Created>();
  const [, navigate] = useLocation();
  const { result } = submission;
  if (result) {
    const { secret, id } = result.data;
    return <ShownSecret secret={secret} onDone={() => navigate(`/webhooks/${id}`)} />;
  }
  return (
    <WebhookForm
      initialValues={{ url: '', events: [...USUAL_EVENTS] }}
      toCall={(body) => describeCall('post', '/v1/webhooks', { body })}
      submission={submission}
      action="Add webhook"
      isNew
      onClose={onClose}
    />
  );
}
