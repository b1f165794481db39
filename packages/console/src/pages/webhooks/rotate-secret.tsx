import { Button, Group, Stack, Text } from '@mantine/core';
import type { components } from '../../../../../generated/api.ts';
import { describeCall } from '../../api/call.ts';
import { useSubmission } from '../../api/submission.ts';
import { CopyAsCode } from '../../parts/copy-as-code/copy-as-code.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { SecretDialogue } from '../../parts/secret-dialogue.tsx';
import { ShownSecret } from './shown-secret.tsx';

interface Dialogue {
  webhookId: string;
  onClose: () => void;
}

export function RotateSecret({ isOpen, ...props }: Dialogue & { isOpen: boolean }) {
  return (
    <SecretDialogue isOpen={isOpen} onClose={props.onClose} title="Rotate the signing secret">
      <Rotation {...props} />
    </SecretDialogue>
  );
}

/** Made anew each time that the dialogue opens. */
function Rotation({ webhookId: id, onClose }: Dialogue) {
  const submission = useSubmission<components['schemas']['RotatedWebhookSecret']>();
  const call = describeCall('post', '/v1/webhooks/{id}/rotate-secret', { path: { id } });
  if (submission.result) {
    const { secret, previousSecretExpiresAt } = submission.result.data;
    return <ShownSecret secret={secret} previousExpiresAt={previousSecretExpiresAt} onDone={onClose} />;
  }
  return (
    <Stack>
      <Text size="sm">
        The service makes another secret and shows it once. For 24 hours each message is signed with both, so
        that receivers can be changed one after the other; after that the secret of now is worth nothing.
      </Text>
      <ProblemNotice problem={submission.problem} />
      <CopyAsCode call={call} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose} data-autofocus>
          Cancel
        </Button>
        <Button loading={submission.isSending} onClick={() => submission.send(call)}>
          Rotate secret
        </Button>
      </Group>
    </Stack>
  );
}
