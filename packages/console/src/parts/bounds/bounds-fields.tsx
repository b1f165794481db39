import { Box, Stack, Switch, Text, TextInput } from '@mantine/core';
import { groupDigits } from '../amount-text.ts';
import { readBound } from './bounds-draft.ts';
import type { ContractDraft } from './bounds-draft.ts';
import { RoyaltyFields } from './royalty-fields.tsx';

export interface FieldsOf<Draft> {
  draft: Draft;
  onChange: (part: Partial<Draft>) => void;
  errorOf: (field: string) => string | undefined;
}

export function NameFields({ draft, onChange, errorOf }: FieldsOf<ContractDraft>) {
  return (
    <Stack>
      <TextInput
        label="Name"
        description="As wallets and explorers show it; 1 to 64 bytes."
        placeholder="Harbour Lights"
        required
        withAsterisk={false}
        autoComplete="off"
        value={draft.name}
        onChange={({ currentTarget }) => onChange({ name: currentTarget.value })}
        error={errorOf('name')}
      />
      <TextInput
        label="Symbol"
        description="The short form beside amounts; 1 to 16 bytes, by custom in capitals."
        placeholder="HARB"
        required
        withAsterisk={false}
        autoComplete="off"
        value={draft.symbol}
        onChange={({ currentTarget }) => onChange({ symbol: currentTarget.value })}
        error={errorOf('symbol')}
      />
    </Stack>
  );
}

/** @param decimals of an ERC-20 token; null for NFTs */
export function BoundsFields({
  draft,
  onChange,
  errorOf,
  decimals,
}: FieldsOf<ContractDraft> & { decimals: number | null }) {
  const unit = decimals === null ? 'NFTs' : 'tokens';
  return (
    <Stack gap="lg">
      <TextInput
        label="Cap"
        description={
          decimals === null
            ? 'The most NFTs that are ever minted, burned ones included. Nobody can raise it. Empty for no cap.'
            : 'The most that exists at any time. Nobody can raise it. Empty for no cap.'
        }
        placeholder="No cap"
        inputMode="decimal"
        rightSectionWidth={80}
        rightSection={<Unit text={unit} />}
        value={draft.maxSupply}
        onChange={({ currentTarget }) => onChange({ maxSupply: currentTarget.value })}
        error={errorOf('maxSupply')}
        inputWrapperOrder={['label', 'description', 'input', 'error']}
      />
      <RawUnits typed={draft.maxSupply} decimals={decimals} />
      <TextInput
        label="Limit per day"
        description="The most that this service may mint at once; what it minted refills evenly over 24 hours. The contract keeps to it: somebody who steals a key of the service mints no more than that, and at most twice as much in any 24 hours. It can be lowered here, and raised only on the chain. Empty for no limit."
        placeholder="No limit"
        inputMode="decimal"
        rightSectionWidth={80}
        rightSection={<Unit text={unit} />}
        value={draft.mintLimitPerDay}
        onChange={({ currentTarget }) => onChange({ mintLimitPerDay: currentTarget.value })}
        error={errorOf('mintLimitPerDay')}
      />
      <RawUnits typed={draft.mintLimitPerDay} decimals={decimals} />
      <Switch
        label="Recoverable"
        description="Holdings can be moved or burned without the consent of their holder (ERC-7943), for a court order or a lost key. Everybody can read this on the chain, and some will not hold such a token. Leave it off where no court or contract asks for it."
        checked={draft.recoverable}
        onChange={({ currentTarget }) => onChange({ recoverable: currentTarget.checked })}
      />
      {decimals === null && (
        <Box component="fieldset" m={0} p={0} bd={0}>
          <Text component="legend" size="sm" fw={600} p={0}>
            Royalty
          </Text>
          <Text size="xs" c="dimmed" mb="sm">
            What marketplaces are asked to pay for each sale (ERC-2981). Not all of them do. Empty for none;
            you can change it later.
          </Text>
          <RoyaltyFields
            draft={draft.royalty}
            onChange={(part) => onChange({ royalty: { ...draft.royalty, ...part } })}
            errorOf={errorOf}
            isRequired={false}
          />
        </Box>
      )}
    </Stack>
  );
}

function Unit({ text }: { text: string }) {
  return (
    <Text size="xs" c="dimmed">
      {text}
    </Text>
  );
}

/** Below an amount with decimals: what the API is sent. */
export function RawUnits({ typed, decimals }: { typed: string; decimals: number | null }) {
  if (decimals === null || decimals === 0 || typed.trim() === '') return null;
  const { raw, fault } = readBound(typed, decimals, 0n);
  if (fault !== undefined) return null;
  return (
    <Text size="xs" c="dimmed" mt="calc(-1 * var(--mantine-spacing-md))" className="break">
      {groupDigits(raw)} raw units
    </Text>
  );
}
