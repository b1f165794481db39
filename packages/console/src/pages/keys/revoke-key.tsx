import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { components } from '../../../../../generated/api.ts';
import { describeCall } from '../../api/call.ts';
import { useSubmission } from '../../api/submission.ts';
import { CopyAsCode } from '../../parts/copy-as-code/copy-as-code.tsx';
import { notifyDone } from '../../parts/notify.ts';
import { ProblemNotice } from '../../parts/problem-notice.tsx';

type Key = components['schemas']['ApiKey'];

/** @param apiKey to be revoked; null while the dialogue is closed */
export function RevokeKey({ apiKey, onClose }: { apiKey: Key | null; onClose: () => void }) {
  return (
    <Modal opened={apiKey !== null} onClose={onClose} title={<Text fw={600}>Revoke an API key</Text>}>
      {apiKey && <Question apiKey={apiKey} onClose={onClose} />}
    </Modal>
  );
}

function Question({ apiKey, onClose }: { apiKey: Key; onClose: () => void }) {
  const submission = useSubmission<Key>({
    onDone: () => {
      onClose();
      notifyDone(`Revoked ${apiKey.keyPrefix}…`);
    },
  });
  const call = describeCall('delete', '/v1/api-keys/{id}', { path: { id: apiKey.id } });
  return (
    <Stack>
      <Text size="sm">
        <bdi className="break">{apiKey.name}</bdi> (<span className="mono">{apiKey.keyPrefix}…</span>) stops
        working at once, for ever. Programs that use it get 401.
      </Text>
      <ProblemNotice problem={submission.problem} />
      <CopyAsCode call={call} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose} data-autofocus>
          Cancel
        </Button>
        <Button color="red" loading={submission.isSending} onClick={() => submission.send(call)}>
          Revoke key
        </Button>
      </Group>
    </Stack>
  );
}
