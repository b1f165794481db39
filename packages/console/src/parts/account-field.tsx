import { Anchor, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { session } from '../api/session.ts';
import { useStore } from '../api/store.ts';

/** The address of an account, with a shortcut to the wallet of one's own. */
export function AccountField({
  label,
  description,
  value,
  onChange,
  error,
  isRequired = true,
}: {
  label: string;
  description?: ReactNode;
  value: string;
  onChange: (address: string) => void;
  error?: string | undefined;
  isRequired?: boolean;
}) {
  const current = useStore(session);
  const wallet = current.phase === 'in' ? current.profile.walletAddress : null;
  return (
    <TextInput
      label={label}
      description={description}
      placeholder="0x…"
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value.trim())}
      error={error}
      required={isRequired}
      withAsterisk={false}
      autoComplete="off"
      spellCheck={false}
      classNames={{ input: 'mono' }}
      rightSectionWidth={wallet !== null && value === '' ? 110 : undefined}
      rightSection={
        wallet !== null &&
        value === '' && (
          <Anchor component="button" type="button" size="sm" onClick={() => onChange(wallet)}>
            My wallet
          </Anchor>
        )
      }
    />
  );
}
