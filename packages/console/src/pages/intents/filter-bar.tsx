import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { KINDS, NO_FILTERS, STATUSES, isAddress } from './filters.ts';
import type { Filters } from './filters.ts';
import styles from './intents.module.css';

/** @param onChange gets what has changed; undefined for a filter that is taken away */
export function FilterBar({
  filters,
  onChange,
}: {
  filters: Filters;
  onChange: (changed: { [Name in keyof Filters]: Filters[Name] | undefined }) => void;
}) {
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <div className={styles.filters} role="search" aria-label="Filters">
      <NativeSelect
        label="Status"
        value={filters.status ?? ''}
        data={[{ value: '', label: 'Any status' }, ...STATUSES.map((value) => ({ value, label: value }))]}
        onChange={({ currentTarget }) =>
          onChange({ status: STATUSES.find((each) => each === currentTarget.value) })
        }
      />
      <NativeSelect
        label="Kind"
        value={filters.kind ?? ''}
        data={[{ value: '', label: 'Any kind' }, ...KINDS]}
        onChange={({ currentTarget }) =>
          onChange({ kind: KINDS.find(({ value }) => value === currentTarget.value)?.value })
        }
      />
      <ContractField
        key={filters.contract}
        contract={filters.contract ?? ''}
        onChange={(contract) => onChange({ contract })}
      />
      {isFiltered && (
        <Button variant="subtle" color="gray" onClick={() => onChange(NO_FILTERS)}>
          Clear
        </Button>
      )}
    </div>
  );
}

/** Filters as soon as an address is complete, and no more when the field is emptied. */
function ContractField({
  contract,
  onChange,
}: {
  contract: string;
  onChange: (contract: string | undefined) => void;
}) {
  const [typed, setTyped] = useState(contract);
  const [isLeft, setLeft] = useState(false);
  const change = (text: string): void => {
    setTyped(text);
    setLeft(false);
    if (text === '') onChange(undefined);
    else if (isAddress(text)) onChange(text);
  };
  return (
    <TextInput
      label="Contract"
      placeholder="0x…"
      value={typed}
      onChange={({ currentTarget }) => change(currentTarget.value.trim())}
      onBlur={() => setLeft(true)}
      error={
        isLeft && typed !== '' && !isAddress(typed) ? 'An address: 0x and 40 hexadecimal digits' : undefined
      }
      autoComplete="off"
      spellCheck={false}
      className={styles.contract}
    />
  );
}
