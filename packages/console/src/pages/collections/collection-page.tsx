import { Button, Group, Text } from '@mantine/core';
import { ListOrderedIcon, PlusIcon } from '@primer/octicons-react';
import { Link, useParams } from 'wouter';
import { Address } from '../../parts/address.tsx';
import { groupDigits } from '../../parts/amount-text.ts';
import { ContractIntents } from '../../parts/contract-intents.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { RowsSkeleton } from '../../parts/page-skeleton.tsx';
import { PageTabs } from '../../parts/page-tabs.tsx';
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
      {collection && <PageTabs label="Collection" tabs={TABS} panelProps={{ collection }} />}
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

function Activity({ collection }: { collection: Collection }) {
  return <ContractIntents address={collection.address} />;
}
