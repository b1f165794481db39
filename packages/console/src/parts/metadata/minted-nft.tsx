import { Skeleton, Text } from '@mantine/core';
import { toProblem } from '../../api/problem.ts';
import { query } from '../../api/query.ts';
import { RenderedCard } from './rendered-card.tsx';

/** How an NFT of the chain is rendered: a public read. Metadata change, so that it is read anew after each write. */
export function useRendered(address: string, tokenId: string, isWanted = true) {
  const { data, error } = query.useQuery(
    'get',
    '/tokenURI/{address}/{tokenId}',
    { params: { path: { address, tokenId } } },
    { enabled: isWanted, staleTime: 60_000 },
  );
  return { rendered: data, problem: toProblem(error) };
}

/** An NFT of the chain, as marketplaces read it. */
export function MintedNft({ address, tokenId }: { address: string; tokenId: string }) {
  const { rendered, problem } = useRendered(address, tokenId);
  if (problem) {
    return (
      <Text size="sm" c="dimmed" className="break">
        {problem.message}
      </Text>
    );
  }
  return rendered ? <RenderedCard rendered={rendered} /> : <Skeleton h={300} radius="lg" />;
}
