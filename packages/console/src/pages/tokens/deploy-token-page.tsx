import { Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { components } from '../../../../../generated/api.ts';
import { describeCall } from '../../api/call.ts';
import { query } from '../../api/query.ts';
import { NameFields } from '../../parts/bounds/bounds-fields.tsx';
import type { FieldsOf } from '../../parts/bounds/bounds-fields.tsx';
import { BoundsSection, ContractForm } from '../../parts/bounds/contract-form.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { Section } from '../../parts/section.tsx';
import { useWrite } from '../../parts/use-write.ts';
import { NEW_TOKEN, readDeployment } from './deploy-draft.ts';
import type { DeployDraft } from './deploy-draft.ts';
import { BaseUriField, DecimalsField, StandardField, WhoMayMintField } from './deploy-fields.tsx';
import { settledBy } from './settled-by.ts';

type Deployed = components['schemas']['DeployResult'];

const FIELDS = ['name', 'symbol', 'decimals', 'baseUri', 'maxSupply', 'mintLimitPerDay', 'royalty'];

export function DeployTokenPage() {
  const [draft, setDraft] = useState(NEW_TOKEN);
  const [, navigate] = useLocation();
  const write = useWrite<Deployed>({
    done: 'The token is deployed',
    onDone: ({ data }) => navigate(`/tokens/${data.data.address}?tab=mint`),
  });
  const { body, faults } = readDeployment(draft);
  const change = (part: Partial<DeployDraft>): void => setDraft({ ...draft, ...part });
  return (
    <>
      <PageHeader
        title="Deploy a token"
        description="A contract of its own on the chain. It keeps the promises that you make here by itself: not even this service can break them."
      />
      <ContractForm
        label="Before you deploy"
        action="Deploy the token"
        call={describeCall('post', '/tokens', { body })}
        faults={faults}
        write={write}
        fields={FIELDS}
        settled={settledBy(draft, body)}
        price={<Price />}
      >
        {(errorOf) => <DeployFields draft={draft} onChange={change} errorOf={errorOf} />}
      </ContractForm>
    </>
  );
}

function DeployFields(props: FieldsOf<DeployDraft>) {
  const { draft } = props;
  return (
    <>
      <Section title="Standard" description="What a wallet takes it for.">
        <StandardField {...props} />
      </Section>
      <Section title="Name and symbol">
        <Stack>
          <NameFields {...props} />
          {draft.type === 'ERC20' && <DecimalsField {...props} />}
        </Stack>
      </Section>
      <Section title="Who may receive mints">
        <WhoMayMintField {...props} />
      </Section>
      <BoundsSection {...props} decimals={draft.type === 'ERC20' ? draft.decimals : null} />
      <Section title="Metadata">
        <Stack>
          <Text size="sm" c="dimmed">
            {METADATA[draft.type]}
          </Text>
          {draft.type === 'ERC721' && <BaseUriField {...props} />}
        </Stack>
      </Section>
    </>
  );
}

const METADATA: Record<DeployDraft['type'], string> = {
  ERC20:
    'Description of the token and the place of its picture are kept on the chain. You write them after the deployment, and change them as often as you like until you freeze them.',
  ERC721:
    'Name, description, attributes and the place of the picture of each NFT are kept on the chain. You write them after its mint, until you freeze them; one that names no picture is drawn by the contract. A base URI is for those whose metadata are on a host of yours instead.',
};

function Price() {
  const { data } = query.useQuery('get', '/stats');
  return (
    <Text size="xs" c="dimmed">
      Takes 1 mint of the quota{data ? ` of ${data.mintsRemaining}` : ''}.
    </Text>
  );
}
