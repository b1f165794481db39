import { CloseButton, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { SearchIcon } from '@primer/octicons-react';
import { useState } from 'react';

const PAUSE_MS = 250;
/** As the contract has it. */
const MAX_LENGTH = 64;

/** What is typed into a search, a moment after the last key. @returns undefined for nothing, as a query takes it */
export function useSearchText() {
  const [typed, setTyped] = useState('');
  const [settled] = useDebouncedValue(typed.trim(), PAUSE_MS);
  return { typed, setTyped, search: settled === '' ? undefined : settled };
}

export function SearchField({
  typed,
  onType,
  label,
}: {
  typed: string;
  onType: (text: string) => void;
  label: string;
}) {
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder="Name, symbol or address"
      leftSection={<SearchIcon />}
      rightSection={
        typed !== '' && <CloseButton size="sm" aria-label="Clear the search" onClick={() => onType('')} />
      }
      value={typed}
      onChange={({ currentTarget }) => onType(currentTarget.value)}
      maxLength={MAX_LENGTH}
      autoComplete="off"
      spellCheck={false}
      flex="1 1 16rem"
      maw={{ sm: 420 }}
    />
  );
}

/** @param what is searched: "token" */
export function NothingFound({ what }: { what: string }) {
  return (
    <Text c="dimmed" ta="center" py="xl" role="status">
      No {what} of this account matches. A search finds parts of a name or symbol, and the beginning of an
      address.
    </Text>
  );
}
