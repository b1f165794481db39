import { Alert } from '@mantine/core';

export function UnreadNote() {
  return (
    <Alert color="orange" title="The form begins empty in the sandbox">
      There is no chain here to read metadata from. What you save is checked as on the chain, and not kept.
    </Alert>
  );
}
