import { Anchor, Button, Grid, Stack, Switch, Text } from '@mantine/core';
import { useState } from 'react';
import type { FormEvent } from 'react';
import { Link } from 'wouter';
import type { components } from '../../../../../generated/api.ts';
import { describeCall } from '../../api/call.ts';
import { AccountField } from '../../parts/account-field.tsx';
import { Address } from '../../parts/address.tsx';
import { fieldError, otherProblem } from '../../parts/field-errors.ts';
import { FormEnd } from '../../parts/form-end.tsx';
import { LivePreview } from '../../parts/metadata/live-preview.tsx';
import { NO_METADATA, readDraft } from '../../parts/metadata/metadata-draft.ts';
import { MetadataFields, faultAt } from '../../parts/metadata/metadata-fields.tsx';
import { MintedNft } from '../../parts/metadata/minted-nft.tsx';
import { Section } from '../../parts/section.tsx';
import { useWrite } from '../../parts/use-write.ts';
import { MintPrice } from './mint-price.tsx';
import type { Collection } from './use-collection.ts';

type Minted = components['schemas']['MintedNft'];

const FIELDS = ['to', 'metadata.name', 'metadata.description', 'metadata.image', 'metadata.attributes'];

export function MintNft({ collection }: { collection: Collection }) {
  const [to, setTo] = useState('');
  const [draft, setDraft] = useState(NO_METADATA);
  const [isDescribed, setDescribed] = useState(true);
  const [hasTried, setTried] = useState(false);
  const [minted, setMinted] = useState<Minted | null>(null);
  const write = useWrite<Minted>({
    done: 'Minted',
    onDone: ({ data }) => {
      setMinted(data);
      setTried(false);
    },
  });
  const { metadata, faults } = readDraft(draft);
  const { address, name, symbol } = collection;
  const call = describeCall('post', '/v1/collections/{address}/mint', {
    path: { address },
    body: { to, ...(isDescribed ? { metadata } : {}) },
  });
  const isValid = !isDescribed || faults.length === 0;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTried(true);
    if (isValid) write.send(call);
  };
  const again = (): void => {
    write.reset();
    setMinted(null);
  };
  const nextId = String(collection.minted + 1);
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 7 }}>
        <Section title="Mint an NFT" description={`The next one is #${nextId}.`}>
          <form onSubmit={submit}>
            <Stack>
              <AccountField
                label="To"
                description="Who is to own it. It needs no wallet connected to this service."
                value={to}
                onChange={setTo}
                error={fieldError(write.problem, 'to')}
              />
              <Switch
                label="With metadata"
                description={
                  collection.environment === 'sandbox'
                    ? 'Checked as on the chain, and not kept.'
                    : 'Written in the same transaction; you can change them later.'
                }
                checked={isDescribed}
                onChange={({ currentTarget }) => setDescribed(currentTarget.checked)}
              />
              {isDescribed && (
                <MetadataFields
                  isDrawn
                  draft={draft}
                  onChange={setDraft}
                  errorOf={(field) =>
                    (hasTried ? faultAt(faults, field) : undefined) ??
                    fieldError(write.problem, `metadata.${field}`)
                  }
                />
              )}
              <FormEnd
                call={call}
                action="Mint"
                isSending={write.isSending}
                problem={otherProblem(write.problem, FIELDS)}
                onAgain={write.isDone(call) ? again : undefined}
              >
                <MintPrice count={1} />
              </FormEnd>
            </Stack>
          </form>
        </Section>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 5 }}>
        {minted ? (
          <Result minted={minted} collection={collection} onAgain={again} />
        ) : (
          <LivePreview
            previewed={{ name, symbol, tokenId: nextId, ...(isDescribed ? { metadata } : {}) }}
            isValid={isValid}
          />
        )}
      </Grid.Col>
    </Grid>
  );
}

function Result({
  minted: { tokenId, transaction },
  collection: { address, environment },
  onAgain,
}: {
  minted: Minted;
  collection: Collection;
  onAgain: () => void;
}) {
  return (
    <Section title={`Minted: #${tokenId}`}>
      <Stack>
        {transaction ? (
          <Text size="sm" component="div">
            Transaction <Address kind="transaction" value={transaction.hash} href={transaction.explorerUrl} />
          </Text>
        ) : (
          <Text size="sm">In the sandbox: nothing was sent to a chain.</Text>
        )}
        {environment === 'live' && <MintedNft address={address} tokenId={tokenId} />}
        <Anchor component={Link} href={`/collections/${address}/tokens/${tokenId}`} size="sm">
          Open #{tokenId}
        </Anchor>
        <Button variant="default" onClick={onAgain}>
          Mint another one
        </Button>
      </Stack>
    </Section>
  );
}
