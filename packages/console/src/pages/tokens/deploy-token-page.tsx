import { Grid, Paper, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { FormEvent } from 'react';
import { useLocation } from 'wouter';
import type { components } from '../../../../../generated/api.ts';
import { describeCall } from '../../api/call.ts';
import { query } from '../../api/query.ts';
import { BoundsFields, NameFields } from '../../parts/bounds/bounds-fields.tsx';
import { WhatStays } from '../../parts/bounds/what-stays.tsx';
import { fieldError, otherProblem } from '../../parts/field-errors.ts';
import { FormEnd } from '../../parts/form-end.tsx';
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
  const [hasTried, setTried] = useState(false);
  const [, navigate] = useLocation();
  const write = useWrite<Deployed>({
    done: 'The token is deployed',
    onDone: ({ data }) => navigate(`/tokens/${data.data.address}?tab=mint`),
  });
  const { body, faults } = readDeployment(draft);
  const call = describeCall('post', '/tokens', { body });
  const change = (part: Partial<DeployDraft>): void => setDraft({ ...draft, ...part });
  const errorOf = (field: string): string | undefined =>
    (hasTried ? faults[field] : undefined) ?? fieldError(write.problem, field);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTried(true);
    if (Object.keys(faults).length === 0) write.send(call);
  };
  const fields = { draft, onChange: change, errorOf };
  return (
    <>
      <PageHeader
        title="Deploy a token"
        description="A contract of its own on the chain. It keeps the promises that you make here by itself: not even this service can break them."
      />
      <form onSubmit={submit} noValidate>
        <Grid gap="lg">
          <Grid.Col span={{ base: 12, md: 7 }}>
            <Stack gap="lg">
              <Section title="Standard" description="What a wallet takes it for.">
                <StandardField {...fields} />
              </Section>
              <Section title="Name and symbol">
                <Stack>
                  <NameFields {...fields} />
                  {draft.type === 'ERC20' && <DecimalsField {...fields} />}
                </Stack>
              </Section>
              <Section title="Who may receive mints">
                <WhoMayMintField {...fields} />
              </Section>
              <Section
                title="Bounds"
                description="Each is optional. What you promise here, the contract keeps for its whole life."
              >
                <BoundsFields {...fields} decimals={draft.type === 'ERC20' ? draft.decimals : null} />
              </Section>
              <Section title="Metadata">
                <Stack>
                  <Text size="sm" c="dimmed">
                    {METADATA[draft.type]}
                  </Text>
                  {draft.type === 'ERC721' && <BaseUriField {...fields} />}
                </Stack>
              </Section>
            </Stack>
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 5 }}>
            <Paper withBorder p="lg" pos="sticky" top={80} component="section" aria-label="Before you deploy">
              <WhatStays {...settledBy(draft, body)} />
              <Stack mt="lg">
                {hasTried && Object.keys(faults).length > 0 && (
                  <Text size="sm" c="var(--mantine-color-error)" role="alert">
                    Something in the form is to be corrected first.
                  </Text>
                )}
                <FormEnd
                  call={call}
                  action="Deploy the token"
                  isSending={write.isSending}
                  problem={otherProblem(write.problem, FIELDS)}
                >
                  <Price />
                </FormEnd>
              </Stack>
            </Paper>
          </Grid.Col>
        </Grid>
      </form>
    </>
  );
}

const METADATA: Record<DeployDraft['type'], string> = {
  ERC20:
    'Description and picture of the token are kept on the chain. You write them after the deployment, and change them as often as you like until you freeze them.',
  ERC721:
    'Name, description, picture and attributes of each NFT are kept on the chain. You write them after its mint, until you freeze them; an NFT without a picture is drawn by the contract. A base URI is for those whose metadata are on a host of yours instead.',
};

function Price() {
  const { data } = query.useQuery('get', '/stats');
  return (
    <Text size="xs" c="dimmed">
      Takes 1 mint of the quota{data ? ` of ${data.mintsRemaining}` : ''}.
    </Text>
  );
}
