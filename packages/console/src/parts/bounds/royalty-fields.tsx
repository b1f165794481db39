import { SimpleGrid, TextInput } from '@mantine/core';
import { AccountField } from '../account-field.tsx';
import type { RoyaltyDraft } from './bounds-draft.ts';

export function RoyaltyFields({
  draft,
  onChange,
  errorOf,
  isRequired,
}: {
  draft: RoyaltyDraft;
  onChange: (part: Partial<RoyaltyDraft>) => void;
  errorOf: (field: string) => string | undefined;
  isRequired: boolean;
}) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <AccountField
        label="Receiver"
        value={draft.receiver}
        onChange={(receiver) => onChange({ receiver })}
        error={errorOf('royalty.receiver')}
        isRequired={isRequired}
      />
      <TextInput
        label="Percent of the price"
        placeholder="5"
        inputMode="decimal"
        rightSection="%"
        required={isRequired}
        withAsterisk={false}
        value={draft.percent}
        onChange={({ currentTarget }) => onChange({ percent: currentTarget.value })}
        error={errorOf('royalty.basisPoints')}
      />
    </SimpleGrid>
  );
}
