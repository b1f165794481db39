import { Text } from '@mantine/core';
import { NewestIntents } from './newest-intents.tsx';

/** The newest writes to a contract, live. */
export function ContractIntents({ address }: { address: string }) {
  return (
    <NewestIntents label="Recent intents" contract={address}>
      <Text size="sm" c="dimmed">
        Nothing yet. Each write to this contract stands here, with its transaction.
      </Text>
    </NewestIntents>
  );
}
