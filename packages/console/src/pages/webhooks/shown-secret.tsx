import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { SecretOnce } from '../../parts/secret-once.tsx';
import { When } from '../../parts/when.tsx';
import { VerifyCode } from './verify-code.tsx';

/**
 * A signing secret, which is shown this once, and what it is for.
 * @param secret undefined for a replay: the first answer was lost on its way
 * @param previousExpiresAt until when the secret before signs too, after a rotation
 */
export function ShownSecret({
  secret,
  previousExpiresAt,
  onDone,
}: {
  secret: string | undefined;
  previousExpiresAt?: string;
  onDone: () => void;
}) {
  return (
    <Stack>
      {secret === undefined ? (
        <Alert color="orange" title="It was done, but its answer was lost">
          The secret is shown once, and that was missed. Rotate the secret to get another one.
        </Alert>
      ) : (
        <>
          <Alert color="orange" title="Copy the signing secret now" role="status">
            It is shown this once. Your server checks with it that a message is from this service.
          </Alert>
          <SecretOnce secret={secret} label="Signing secret" />
        </>
      )}
      {previousExpiresAt !== undefined && (
        <Text size="sm">
          Until <When at={previousExpiresAt} /> each message has a signature of both secrets: change your
          receivers by then.
        </Text>
      )}
      <VerifyCode />
      <Group justify="flex-end">
        <Button onClick={onDone}>Done</Button>
      </Group>
    </Stack>
  );
}
