import { Alert, Anchor, Button, Grid, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { FormEvent } from 'react';
import { Link } from 'wouter';
import type { components } from '../../../../../generated/api.ts';
import { describeCall } from '../../api/call.ts';
import { AccountField } from '../../parts/account-field.tsx';
import { Address } from '../../parts/address.tsx';
import { readBound } from '../../parts/bounds/bounds-draft.ts';
import { RawUnits } from '../../parts/bounds/bounds-fields.tsx';
import { fieldError, otherProblem } from '../../parts/field-errors.ts';
import { FormEnd } from '../../parts/form-end.tsx';
import { TakenBackUntil } from '../../parts/give-up.tsx';
import { MintedNft } from '../../parts/metadata/minted-nft.tsx';
import { Section } from '../../parts/section.tsx';
import { useWrite } from '../../parts/use-write.ts';
import { MintableNow } from './mintable-now.tsx';
import type { TokenState } from './token-state.ts';

type Minted = components['schemas']['MintResult'];

export function MintToken(state: TokenState) {
  const { token, limits } = state;
  const [minted, setMinted] = useState<Minted['data'] | null>(null);
  if (limits.mintClosesForGoodAt !== null) {
    return (
      <Alert color="gray" title="Minting is closed">
        Nobody can mint this token any more, its owner included.{' '}
        <TakenBackUntil forGoodAt={limits.mintClosesForGoodAt} />.
      </Alert>
    );
  }
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 7 }}>
        <Section
          title="Mint"
          description={
            <>
              Takes 1 mint of the quota; the service pays the gas. <MintableNow {...state} />
            </>
          }
        >
          <Stack>
            {token.paused && (
              <Alert color="orange" title="The token is paused">
                Nothing can be minted until it is resumed, under{' '}
                <Anchor
                  component={Link}
                  href={`/tokens/${token.address}?tab=controls`}
                  inherit
                  underline="always"
                >
                  Controls
                </Anchor>
                .
              </Alert>
            )}
            <MintForm {...state} onMinted={setMinted} />
          </Stack>
        </Section>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 5 }}>
        {minted && <Result minted={minted} address={token.address} />}
      </Grid.Col>
    </Grid>
  );
}

function MintForm({ token, limits, onMinted }: TokenState & { onMinted: (minted: Minted['data']) => void }) {
  const [owner, setOwner] = useState('');
  const [amount, setAmount] = useState('');
  const [hasTried, setTried] = useState(false);
  const write = useWrite<Minted>({
    done: 'Minted',
    onDone: ({ data }) => {
      onMinted(data.data);
      setTried(false);
    },
  });
  const { decimals } = limits;
  const read = decimals === null ? null : readBound(amount, decimals, 1n);
  const call = describeCall('post', '/tokens/{address}/mint', {
    path: { address: token.address },
    body: { owner, ...(read === null ? {} : { amount: read.raw }) },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTried(true);
    if (read?.fault === undefined) write.send(call);
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <AccountField
          label="To"
          description={
            token.permissionless
              ? 'Who is to own it. Any account can receive it.'
              : 'An account that you have approved.'
          }
          value={owner}
          onChange={setOwner}
          error={fieldError(write.problem, 'owner')}
        />
        {decimals !== null && (
          <>
            <TextInput
              label="Amount"
              description={`In tokens, with ${decimals} decimals at the most.`}
              placeholder="100"
              inputMode="decimal"
              required
              withAsterisk={false}
              autoComplete="off"
              rightSectionWidth={90}
              rightSection={
                <Text size="xs" c="dimmed" truncate maw={80}>
                  <bdi>{token.symbol}</bdi>
                </Text>
              }
              value={amount}
              onChange={({ currentTarget }) => setAmount(currentTarget.value)}
              error={(hasTried ? read?.fault : undefined) ?? fieldError(write.problem, 'amount')}
            />
            <RawUnits typed={amount} decimals={decimals} />
          </>
        )}
        <FormEnd
          call={call}
          action="Mint"
          isSending={write.isSending}
          problem={otherProblem(write.problem, ['owner', 'amount'])}
          onAgain={write.isDone(call) ? write.reset : undefined}
        />
      </Stack>
    </form>
  );
}

function Result({ minted: { tokenId, transaction }, address }: { minted: Minted['data']; address: string }) {
  return (
    <Section title={tokenId === undefined ? 'Minted' : `Minted: #${tokenId}`}>
      <Stack>
        <Text size="sm" component="div">
          Transaction <Address kind="transaction" value={transaction.hash} href={transaction.explorerUrl} />
        </Text>
        {tokenId !== undefined && (
          <>
            <MintedNft address={address} tokenId={tokenId} />
            <Button
              variant="default"
              component={Link}
              href={`/tokens/${address}?tab=metadata&tokenId=${tokenId}`}
            >
              Edit its metadata
            </Button>
          </>
        )}
      </Stack>
    </Section>
  );
}
