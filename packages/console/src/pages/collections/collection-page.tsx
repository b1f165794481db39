import { Button, Group, Tabs, Text } from '@mantine/core';
import { ListOrderedIcon, PlusIcon } from '@primer/octicons-react';
import { Link, useParams, useSearchParams } from 'wouter';
import { Address } from '../../parts/address.tsx';
import { groupDigits } from '../../parts/amount.tsx';
import { ContractIntents } from '../../parts/contract-intents.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { RowsSkeleton } from '../../parts/page-skeleton.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { CollectionMetadata } from './collection-metadata.tsx';
import { MintNft } from './mint-nft.tsx';
import { NftGrid } from './nft-grid.tsx';
import { useCollection } from './use-collection.ts';
import type { Collection } from './use-collection.ts';

const TABS = [
  ['nfts', 'NFTs', NftGrid],
  ['mint', 'Mint', MintNft],
  ['metadata', 'Metadata', CollectionMetadata],
  ['activity', 'Activity', Activity],
] as const;
const FIRST_TAB = 'nfts';

export function CollectionPage() {
  const { address } = useParams<{ address: string }>();
  const { collection, problem, retry } = useCollection(address);
  return (
    <>
      <PageHeader
        title={collection?.name ?? 'Collection'}
        description={collection && <Summary collection={collection} />}
        actions={collection && <Actions collection={collection} />}
      />
      <ProblemNotice problem={problem} onRetry={retry} />
      {!problem && !collection && <RowsSkeleton />}
      {collection && <CollectionTabs collection={collection} />}
    </>
  );
}

function Summary({ collection: { symbol, minted, address, environment } }: { collection: Collection }) {
  return (
    <Group gap="xs" component="span">
      <Text span inherit fw={600} className="break">
        <bdi>{symbol}</bdi>
      </Text>
      <span>{groupDigits(String(minted))} minted</span>
      {environment === 'sandbox' && <StatusBadge status="sandbox" />}
      {environment === 'sandbox' ? <Address value={address} href={null} /> : <Address value={address} />}
    </Group>
  );
}

function Actions({ collection: { address, environment } }: { collection: Collection }) {
  return (
    <>
      {environment === 'live' && (
        <Button variant="default" component={Link} href={`/tokens/${address}?tab=controls`}>
          Limits and controls
        </Button>
      )}
      <Button
        variant="default"
        component={Link}
        href={`/collections/${address}/batch`}
        leftSection={<ListOrderedIcon />}
      >
        Mint a list
      </Button>
      <Button component={Link} href={`/collections/${address}?tab=mint`} leftSection={<PlusIcon />}>
        Mint
      </Button>
    </>
  );
}

function CollectionTabs({ collection }: { collection: Collection }) {
  const [search, setSearch] = useSearchParams();
  const asked = search.get('tab');
  const tab = TABS.some(([value]) => value === asked) ? asked : FIRST_TAB;
  const open = (value: string | null): void =>
    setSearch(value === null || value === FIRST_TAB ? {} : { tab: value }, { replace: true });
  return (
    <Tabs value={tab} onChange={open} keepMounted={false}>
      <Tabs.List mb="lg" aria-label="Collection" style={{ overflowX: 'auto', flexWrap: 'nowrap' }}>
        {TABS.map(([value, name]) => (
          <Tabs.Tab key={value} value={value} px={{ base: 'sm', sm: 'md' }}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {TABS.map(([value, , Panel]) => (
        <Tabs.Panel key={value} value={value}>
          <Panel collection={collection} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

function Activity({ collection }: { collection: Collection }) {
  return <ContractIntents address={collection.address} />;
}
