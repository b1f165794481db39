import { Alert, Text } from '@mantine/core';
import { AlertIcon } from '@primer/octicons-react';
import type { components } from '../../../../../generated/api.ts';
import { explainFailure } from '../../parts/explain-failure.ts';

/** Why an intent failed, in the words of the API, and what to do about it. */
export function FailureNotice({ error }: { error: components['schemas']['ErrorBody'] }) {
  return (
    <Alert color="red" variant="light" title="It had no effect" icon={<AlertIcon />} role="status">
      <Text size="sm" className="break">
        <code>{error.code}</code>: {error.message}
      </Text>
      <Text size="sm" mt={6}>
        <strong>What helps:</strong> {explainFailure(error.message)}
      </Text>
    </Alert>
  );
}
