import { Grid, Group, Paper, Progress, SimpleGrid, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Address } from '../../parts/address.tsx';
import { Amount } from '../../parts/amount.tsx';
import { formatAmount } from '../../parts/amount-text.ts';
import { ContractIntents } from '../../parts/contract-intents.tsx';
import { FactRows } from '../../parts/fact-rows.tsx';
import { TakenBackUntil } from '../../parts/give-up.tsx';
import { Section } from '../../parts/section.tsx';
import { FullAgain } from './mintable-now.tsx';
import { nameStandard } from './standards.ts';
import { describeAmount, percentOf } from './token-state.ts';
import type { TokenState } from './token-state.ts';

const NEARLY = 90;

export function TokenOverview(state: TokenState) {
  const { token, limits } = state;
  return (
    <Stack gap="lg">
      <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }}>
        <Tile title="Supply" detail={supplyDetail(state)} bound={limits.maxSupply} used={limits.totalSupply}>
          <Figure raw={limits.totalSupply} {...state} />
        </Tile>
        <Tile
          title="Mintable now"
          detail={
            limits.mintLimitPerDay === null ? (
              'No limit per day'
            ) : (
              <>
                of {describeAmount(limits.mintLimitPerDay, state)}
                <FullAgain {...state} />
              </>
            )
          }
        >
          {limits.mintableNow === null ? 'Not limited' : <Figure raw={limits.mintableNow} {...state} />}
        </Tile>
        <Tile title="Minting" detail={mintDetail(state)}>
          {limits.mintClosed ? 'Closed' : token.paused ? 'Paused' : 'Open'}
        </Tile>
        <Tile title="Transfers" detail={transferDetail(state)}>
          {token.paused ? 'Paused' : token.transferLocked ? 'Locked' : 'Allowed'}
        </Tile>
      </SimpleGrid>
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, lg: 5 }}>
          <Section title="The contract">
            <TokenFacts {...state} />
          </Section>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 7 }}>
          <Section title="Recent intents" description="The newest writes to this contract, live.">
            <ContractIntents address={token.address} />
          </Section>
        </Grid.Col>
      </Grid>
    </Stack>
  );
}

function Tile({
  title,
  detail,
  bound = null,
  used = '0',
  children,
}: {
  title: string;
  detail: ReactNode;
  /** In raw units. */
  bound?: string | null;
  used?: string;
  children: ReactNode;
}) {
  const share = bound === null ? null : percentOf(used, bound);
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <Text size="sm" fw={500} c="dimmed" component="h2">
        {title}
      </Text>
      <Text fz={22} fw={600} lh={1.3} mt={2} component="div" className="break">
        {children}
      </Text>
      {share !== null && (
        <Progress
          value={share}
          size="sm"
          my={6}
          color={share >= NEARLY ? 'orange' : 'brand'}
          aria-label={`${title}: used`}
        />
      )}
      <Text size="sm" c="dimmed" className="break">
        <bdi>{detail}</bdi>
      </Text>
    </Paper>
  );
}

function Figure({ raw, limits }: TokenState & { raw: string }) {
  if (limits.decimals === null) return formatAmount(raw, 0);
  return <Amount raw={raw} decimals={limits.decimals} />;
}

function supplyDetail(state: TokenState): string {
  const { maxSupply } = state.limits;
  return maxSupply === null ? 'No cap' : `of ${describeAmount(maxSupply, state)} at the most`;
}

function mintDetail({ token, limits }: TokenState): ReactNode {
  if (limits.mintClosesForGoodAt !== null) return <TakenBackUntil forGoodAt={limits.mintClosesForGoodAt} />;
  return token.permissionless ? 'To anyone' : 'To approved accounts';
}

function transferDetail({ token }: TokenState): string {
  if (token.paused) return 'Nothing moves until it is resumed';
  return token.transferLocked ? 'Holders cannot send or approve' : 'Between holders, except frozen ones';
}

function TokenFacts({ token, limits }: TokenState) {
  const { royalty, decimals } = limits;
  return (
    <FactRows
      rows={[
        ['Address', <Address key="address" value={token.address} />],
        ['Owner on the chain', <Address key="owner" value={token.owner} />],
        ['Standard', nameStandard(token.type)],
        ...(decimals === null ? [] : ([['Decimals', String(decimals)]] as const)),
        ['Created by', token.creator],
        [
          'Recoverable',
          limits.recoverable && !limits.controlsRenounced ? 'Yes: holdings can be moved' : 'No',
        ],
        [
          'Metadata',
          <State key="metadata" forGoodAt={limits.metadataFrozenForGoodAt} is="Frozen" isNot="Can change" />,
        ],
        [
          'Control over holders',
          <State
            key="controls"
            forGoodAt={limits.controlsRenouncedForGoodAt}
            is="Given up"
            isNot="Pause, lock and freeze"
          />,
        ],
        ...(decimals === null
          ? ([
              [
                'Royalty',
                royalty && royalty.basisPoints > 0 ? (
                  <Group key="royalty" gap={6} justify="flex-end" component="span">
                    {royalty.basisPoints / 100} % to <Address value={royalty.receiver} />
                  </Group>
                ) : (
                  'None'
                ),
              ],
            ] as const)
          : []),
      ]}
    />
  );
}

/** What can be given up for ever. @param forGoodAt null while it is not */
function State({ forGoodAt, is, isNot }: { forGoodAt: string | null; is: string; isNot: string }) {
  if (forGoodAt === null) return isNot;
  return (
    <>
      {is}. <TakenBackUntil forGoodAt={forGoodAt} />
    </>
  );
}
