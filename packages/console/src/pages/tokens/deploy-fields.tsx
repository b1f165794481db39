import { Group, NativeSelect, Radio, SimpleGrid, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { FieldsOf } from '../../parts/bounds/bounds-fields.tsx';
import type { DeployDraft } from './deploy-draft.ts';

type Fields = FieldsOf<DeployDraft>;

/** A choice as a card: its whole surface can be pressed. */
function Choice({ value, title, children }: { value: string; title: string; children: ReactNode }) {
  return (
    <Radio.Card
      value={value}
      p="md"
      radius="md"
      h="100%"
      display="flex"
      style={{ alignItems: 'flex-start' }}
      aria-label={title}
    >
      <Group wrap="nowrap" align="flex-start" gap="sm">
        <Radio.Indicator mt={2} />
        <div>
          <Text size="sm" fw={600}>
            {title}
          </Text>
          <Text size="sm" c="dimmed" mt={2}>
            {children}
          </Text>
        </div>
      </Group>
    </Radio.Card>
  );
}

export function StandardField({ draft, onChange }: Fields) {
  return (
    <Radio.Group aria-label="Standard" value={draft.type} onChange={(type) => onChange({ type: type })}>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Choice value="ERC20" title="ERC-20: all alike">
          Points, credits, shares, a currency. Accounts hold amounts of it.
        </Choice>
        <Choice value="ERC721" title="ERC-721: one of a kind">
          NFTs: tickets, certificates, pictures. Each has an id, an owner and metadata of its own.
        </Choice>
      </SimpleGrid>
    </Radio.Group>
  );
}

export function WhoMayMintField({ draft, onChange }: Fields) {
  return (
    <Radio.Group
      aria-label="Who may receive mints"
      value={draft.isPermissionless ? 'anyone' : 'approved'}
      onChange={(value) => onChange({ isPermissionless: value === 'anyone' })}
    >
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Choice value="anyone" title="Anyone">
          Permissionless: you may mint to every account.
        </Choice>
        <Choice value="approved" title="Approved accounts only">
          Permissioned: you approve an account first, for example once you know who it belongs to.
        </Choice>
      </SimpleGrid>
    </Radio.Group>
  );
}

const DECIMALS = [
  { value: '18', label: '18: a currency, as most tokens have it' },
  { value: '6', label: '6: as many stablecoins have it' },
  { value: '2', label: '2: cents' },
  { value: '0', label: '0: whole units only' },
];
const OTHERS = [...Array.from({ length: 19 }, (_, count) => String(count))]
  .filter((value) => !DECIMALS.some((usual) => usual.value === value))
  .map((value) => ({ value, label: value }));

export function DecimalsField({ draft, onChange, errorOf }: Fields) {
  return (
    <NativeSelect
      label="Decimals"
      description="How far one token can be divided. The API counts amounts in the smallest unit: with 2 decimals, 150 are 1.5 tokens."
      data={[...DECIMALS, { group: 'Others', items: OTHERS }]}
      value={String(draft.decimals)}
      onChange={({ currentTarget }) => onChange({ decimals: Number(currentTarget.value) })}
      error={errorOf('decimals')}
    />
  );
}

export function BaseUriField({ draft, onChange, errorOf }: Fields) {
  return (
    <TextInput
      label="Base URI"
      description="An ipfs or https URI of at most 256 bytes. The id of a token without metadata on the chain is put behind it. Empty for most."
      placeholder="None"
      autoComplete="off"
      spellCheck={false}
      value={draft.baseUri}
      onChange={({ currentTarget }) => onChange({ baseUri: currentTarget.value })}
      error={errorOf('baseUri')}
    />
  );
}
