import { useLocation } from 'wouter';
import type { components } from '../../../../../generated/api.ts';
import { describeCall } from '../../api/call.ts';
import { useSubmission } from '../../api/submission.ts';
import { SecretDialogue } from '../../parts/secret-dialogue.tsx';
import { USUAL_EVENTS } from './events.ts';
import { ShownSecret } from './shown-secret.tsx';
import { WebhookForm } from './webhook-form.tsx';

type Created = components['schemas']['CreatedWebhook'];

export function CreateWebhook({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <SecretDialogue isOpen={isOpen} onClose={onClose} title="Add a webhook">
      <CreateForm onClose={onClose} />
    </SecretDialogue>
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
