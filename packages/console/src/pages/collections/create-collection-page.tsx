import { Text } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { components } from '../../../../../generated/api.ts';
import { describeCall } from '../../api/call.ts';
import { query } from '../../api/query.ts';
import { sandbox } from '../../api/sandbox.ts';
import { useStore } from '../../api/store.ts';
import { groupDigits } from '../../parts/amount-text.ts';
import { NEW_CONTRACT, readContract } from '../../parts/bounds/bounds-draft.ts';
import type { ContractDraft, ContractFields } from '../../parts/bounds/bounds-draft.ts';
import { NameFields } from '../../parts/bounds/bounds-fields.tsx';
import { BoundsSection, ContractForm } from '../../parts/bounds/contract-form.tsx';
import type { Settled } from '../../parts/bounds/what-stays.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { Section } from '../../parts/section.tsx';
import { useWrite } from '../../parts/use-write.ts';

const FIELDS = ['name', 'symbol', 'maxSupply', 'mintLimitPerDay', 'royalty'];

export function CreateCollectionPage() {
  const [draft, setDraft] = useState(NEW_CONTRACT);
  const [, navigate] = useLocation();
  const write = useWrite<components['schemas']['CreatedCollection']>({
    done: 'The collection is created',
    onDone: ({ data }) => navigate(`/collections/${data.address}`),
  });
  const { fields, faults } = readContract(draft, 0);
  const change = (part: Partial<ContractDraft>): void => setDraft({ ...draft, ...part });
  return (
    <>
      <PageHeader
        title="Create a collection"
        description="An ERC-721 contract of its own. Its NFTs are numbered from 1, and their metadata are kept on the chain."
      />
      <ContractForm
        label="Before you create it"
        action="Create the collection"
        call={describeCall('post', '/v1/collections', { body: fields })}
        faults={faults}
        write={write}
        fields={FIELDS}
        settled={settledBy(fields)}
        price={<Price />}
      >
        {(errorOf) => (
          <>
            <Section title="Name and symbol">
              <NameFields draft={draft} onChange={change} errorOf={errorOf} />
            </Section>
            <BoundsSection draft={draft} onChange={change} errorOf={errorOf} decimals={null} />
          </>
        )}
      </ContractForm>
    </>
  );
}

function Price() {
  const isSandbox = useStore(sandbox) !== null;
  const { data } = query.useQuery('get', '/v1/billing/credits', {}, { enabled: !isSandbox });
  const text = isSandbox
    ? 'Free in the sandbox, where nothing goes to a chain: bounds are accepted there, and mints beyond them too.'
    : data &&
      `Costs ${data.prices.createCollection} credits of the ${groupDigits(String(data.creditsRemaining))} that are left.`;
  return (
    <Text size="xs" c="dimmed">
      {text}
    </Text>
  );
}

function settledBy({
  name,
  symbol,
  maxSupply,
  mintLimitPerDay,
  recoverable,
  royalty,
}: ContractFields): Settled {
  const count = (raw: string): string => `${groupDigits(raw)} NFTs`;
  return {
    never: [
      ['Standard', 'ERC-721'],
      ['Name', name === '' ? '…' : name],
      ['Symbol', symbol === '' ? '…' : symbol],
      ['Mints go to', 'anyone'],
      ['Cap', maxSupply === undefined ? 'none' : count(maxSupply)],
      ['Recoverable', recoverable ? 'yes' : 'no'],
    ],
    later: [
      [
        'Limit per day',
        mintLimitPerDay === undefined ? 'none; can be set' : `${count(mintLimitPerDay)}; only lower`,
      ],
      ['Royalty', royalty ? `${royalty.basisPoints / 100} %` : 'none; can be set'],
      ['Metadata', 'until frozen'],
      ['Minting', 'until closed'],
      ['Pause and lock', 'until given up'],
    ],
  };
}
