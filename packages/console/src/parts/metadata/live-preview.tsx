import { Box, Skeleton, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData } from '@tanstack/react-query';
import { toProblem } from '../../api/problem.ts';
import { query } from '../../api/query.ts';
import { sandbox } from '../../api/sandbox.ts';
import { useStore } from '../../api/store.ts';
import { ProblemNotice } from '../problem-notice.tsx';
import type { Metadata } from './metadata-rules.ts';
import { RenderedCard } from './rendered-card.tsx';

const PAUSE_MS = 300;

/** What is to be drawn. */
export interface Previewed {
  /** Of the contract. */
  name: string;
  symbol: string;
  /** Of the NFT; without it the contract describes itself. */
  tokenId?: string;
  metadata?: Metadata;
}

/**
 * The token as the chain will draw it, a moment after the last key. The contract itself is asked; nothing is sent.
 * Before it has a name it is drawn as one without metadata.
 * @param isValid whether its metadata could be sent; the last picture stays until they can
 */
export function LivePreview({ previewed, isValid: isSendable }: { previewed: Previewed; isValid: boolean }) {
  const isSandbox = useStore(sandbox) !== null;
  const { metadata, ...contract } = previewed;
  const isNamed = metadata !== undefined && metadata.name !== '';
  const isValid = isSendable || !isNamed;
  const wanted = JSON.stringify(isNamed ? previewed : contract);
  const [settled] = useDebouncedValue(wanted, PAUSE_MS);
  const { data, error, isPending } = query.useQuery(
    'post',
    '/metadata/preview',
    { body: JSON.parse(settled) as Previewed },
    { enabled: isValid, placeholderData: keepPreviousData, staleTime: Infinity },
  );
  return (
    <Box component="section" aria-label="Preview" aria-busy={settled !== wanted}>
      <Text size="sm" fw={500} mb="xs" component="h3">
        As the chain {isSandbox ? 'would' : 'will'} draw it
      </Text>
      <ProblemNotice problem={isValid ? toProblem(error) : null} />
      {data && <RenderedCard rendered={data} hasPicture={previewed.tokenId !== undefined} />}
      {!data && !error && (isPending && isValid ? <Skeleton h={300} radius="lg" /> : <NothingYet />)}
    </Box>
  );
}

function NothingYet() {
  return (
    <Text size="sm" c="dimmed">
      It is drawn once everything in the form is right.
    </Text>
  );
}
