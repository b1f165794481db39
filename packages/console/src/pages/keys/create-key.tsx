import { Alert, Button, Group, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { components } from '../../../../../generated/api.ts';
import { describeCall } from '../../api/call.ts';
import { useSubmission } from '../../api/submission.ts';
import { CopyAsCode } from '../../parts/copy-as-code/copy-as-code.tsx';
import { fieldError, otherProblem } from '../../parts/field-errors.ts';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { SecretDialogue } from '../../parts/secret-dialogue.tsx';
import { SecretOnce } from '../../parts/secret-once.tsx';

type Created = components['schemas']['CreatedApiKey'];
type Wanted = components['schemas']['CreateApiKeyRequest'];

export function CreateKey({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <SecretDialogue isOpen={isOpen} onClose={onClose} title="Create an API key">
      <KeyForm onClose={onClose} />
    </SecretDialogue>
  );
}

/** Made anew each time that the dialogue opens. */
function KeyForm({ onClose }: { onClose: () => void }) {
  const form = useForm<Wanted>({ initialValues: { name: '', environment: 'live' } });
  const submission = useSubmission<Created>();
  const call = describeCall('post', '/v1/api-keys', { body: form.values });
  const { problem, result } = submission;
  if (result) return <CreatedKey created={result.data} onClose={onClose} />;
  return (
    <form onSubmit={form.onSubmit(() => submission.send(call))}>
      <Stack>
        <TextInput
          label="Name"
          description="What the key is for, to recognise it by."
          placeholder="shop backend"
          required
          withAsterisk={false}
          maxLength={64}
          data-autofocus
          {...form.getInputProps('name')}
          error={fieldError(problem, 'name')}
        />
        <Radio.Group label="Environment" {...form.getInputProps('environment')}>
          <Stack gap="sm" mt="xs">
            <Radio
              value="live"
              label="Live"
              description="The chain, the quota and the credits of this account."
            />
            <Radio
              value="sandbox"
              label="Sandbox"
              description="Collections, webhooks and intents of the sandbox alone. Costs nothing and sends nothing to a chain."
            />
          </Stack>
        </Radio.Group>
        <ProblemNotice problem={otherProblem(problem, ['name'])} />
        <CopyAsCode call={call} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={submission.isSending}>
            Create key
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** A replay has no key: the first answer was lost on its way. */
function CreatedKey({ created, onClose }: { created: Created; onClose: () => void }) {
  const { key, keyPrefix } = created;
  return (
    <Stack>
      {key === undefined ? (
        <Alert color="orange" title="The key was created, but its answer was lost">
          The key is shown once, and that was missed. Revoke {keyPrefix}… and create another one.
        </Alert>
      ) : (
        <>
          <Alert color="orange" title="Copy the key now" role="status">
            It is shown this once: the service keeps only its hash.
          </Alert>
          <SecretOnce secret={key} label="API key" />
          <Text size="sm" c="dimmed">
            Keep it with the other secrets of your server, and send it as{' '}
            <code>Authorization: Bearer {keyPrefix}…</code>.
          </Text>
        </>
      )}
      <Group justify="flex-end">
        <Button onClick={onClose}>Done</Button>
      </Group>
    </Stack>
  );
}
