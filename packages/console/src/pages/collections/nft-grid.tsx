import { Box, Button, Paper, SimpleGrid, Skeleton, Text } from '@mantine/core';
import { useInViewport } from '@mantine/hooks';
import { ImageIcon } from '@primer/octicons-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { useList } from '../../api/list.ts';
import type { RowOf } from '../../api/list.ts';
import { query } from '../../api/query.ts';
import { shorten } from '../../parts/address.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { useRendered } from '../../parts/metadata/minted-nft.tsx';
import { TokenPicture } from '../../parts/metadata/token-picture.tsx';
import { MoreRows } from '../../parts/more-rows.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import styles from './nft-grid.module.css';
import type { Collection } from './use-collection.ts';

const PAGE = 24;
const COLUMNS = { base: 2, xs: 3, sm: 3, md: 4, lg: 5 };

type Nft = RowOf<'/v1/collections/{address}/tokens'>;

/** The NFTs of a collection with their pictures, newest first. */
export function NftGrid({ collection }: { collection: Collection }) {
  const { address, environment } = collection;
  const list = useList('/v1/collections/{address}/tokens', { path: { address }, query: { limit: PAGE } });
  if (list.isPending) return <GridSkeleton />;
  if (list.problem) return <ProblemNotice problem={list.problem} onRetry={list.refetch} />;
  if (list.rows.length === 0) return <NothingMinted address={address} />;
  return (
    <>
      {environment === 'sandbox' && (
        <Text size="sm" c="dimmed" mb="md">
          There is no chain here to read metadata from: each NFT is drawn as it would be without any.
        </Text>
      )}
      <SimpleGrid cols={COLUMNS} component="ul" m={0} p={0} style={{ listStyle: 'none' }} aria-label="NFTs">
        {list.rows.map((nft) => (
          <NftCard key={nft.tokenId} nft={nft} collection={collection} />
        ))}
      </SimpleGrid>
      <MoreRows list={list} />
    </>
  );
}

function NftCard({ nft: { tokenId, to }, collection }: { nft: Nft; collection: Collection }) {
  const { ref, hasBeenInView } = useOnceInView();
  const { rendered, problem } = usePicture(collection, tokenId, hasBeenInView);
  const name = rendered?.name ?? `#${tokenId}`;
  return (
    <Paper component="li" withBorder className={styles.card} ref={ref}>
      <Link href={`/collections/${collection.address}/tokens/${tokenId}`} className={styles.card}>
        {rendered || problem ? (
          <TokenPicture image={rendered?.image} alt="">
            {problem ? 'No picture on the chain' : 'No picture'}
          </TokenPicture>
        ) : (
          <Skeleton style={{ aspectRatio: 1 }} radius={0} />
        )}
        <Box p="sm">
          <Text size="sm" fw={600} className={styles.name} component="div" title={name}>
            <bdi>{name}</bdi>
          </Text>
          <Text size="xs" c="dimmed" component="div">
            #{tokenId}, minted to <bdi className="mono">{shorten(to)}</bdi>
          </Text>
        </Box>
      </Link>
    </Paper>
  );
}

/** A picture is asked for once its card has come into sight. */
function useOnceInView() {
  const { ref, inViewport } = useInViewport<HTMLLIElement>();
  const [hasBeenInView, setBeen] = useState(false);
  if (inViewport && !hasBeenInView) setBeen(true);
  return { ref, hasBeenInView };
}

function usePicture({ address, name, symbol, environment }: Collection, tokenId: string, isWanted: boolean) {
  const isLive = environment === 'live';
  const live = useRendered(address, tokenId, isWanted && isLive);
  const drawn = query.useQuery(
    'post',
    '/metadata/preview',
    { body: { name, symbol, tokenId } },
    { enabled: isWanted && !isLive, staleTime: Infinity },
  );
  return isLive ? live : { rendered: drawn.data, problem: drawn.error };
}

function GridSkeleton() {
  return (
    <SimpleGrid cols={COLUMNS} role="status" aria-label="Loading">
      {Array.from({ length: 5 }, (_, index) => (
        <Skeleton key={index} h={240} radius="lg" />
      ))}
    </SimpleGrid>
  );
}

function NothingMinted({ address }: { address: string }) {
  return (
    <EmptyState
      icon={<ImageIcon size={24} />}
      title="Nothing minted yet"
      actions={
        <>
          <Button component={Link} href={`/collections/${address}?tab=mint`}>
            Mint the first NFT
          </Button>
          <Button variant="default" component={Link} href={`/collections/${address}/batch`}>
            Mint a list
          </Button>
        </>
      }
    >
      An NFT goes to any account by its address. Give it a name, a description and attributes, of which the
      contract draws a picture on the chain; or name a picture of your own.
    </EmptyState>
  );
}
