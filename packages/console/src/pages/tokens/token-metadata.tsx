import { Alert, Group, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { describeCall } from '../../api/call.ts';
import { toProblem } from '../../api/problem.ts';
import { query } from '../../api/query.ts';
import { TakenBackUntil } from '../../parts/give-up.tsx';
import { FreezeNft } from '../../parts/metadata/freeze-nft.tsx';
import { toDraft } from '../../parts/metadata/metadata-draft.ts';
import { MetadataEditor } from '../../parts/metadata/metadata-editor.tsx';
import { RowsSkeleton } from '../../parts/page-skeleton.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { Section } from '../../parts/section.tsx';
import type { TokenState } from './token-state.ts';

const PAUSE_MS = 300;
const TOKEN_ID = /^\d{1,78}$/;

export function TokenMetadata(state: TokenState) {
  return state.token.type === 'ERC721' ? <OfNft {...state} /> : <OfContract {...state} />;
}

function OfNft(state: TokenState) {
  const [search] = useSearchParams();
  const [typed, setTyped] = useState(search.get('tokenId') ?? '1');
  const [tokenId] = useDebouncedValue(typed.trim(), PAUSE_MS);
  if (state.limits.totalSupply === '0') {
    return (
      <Text c="dimmed">
        Each NFT has metadata of its own. Mint the first one, and its metadata are edited here.
      </Text>
    );
  }
  return (
    <Stack gap="lg">
      <Group align="flex-end">
        <TextInput
          label="Token id"
          description="Each NFT has metadata of its own. The first one minted is 1."
          inputMode="numeric"
          autoComplete="off"
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          error={TOKEN_ID.test(typed.trim()) ? undefined : 'A whole number is needed'}
        />
      </Group>
      {TOKEN_ID.test(tokenId) && <Loaded key={tokenId} {...state} tokenId={tokenId} />}
    </Stack>
  );
}

function OfContract(state: TokenState) {
  return <Loaded {...state} tokenId={null} />;
}

/** @param tokenId null for the metadata of the contract */
function Loaded({ token, limits, tokenId }: TokenState & { tokenId: string | null }) {
  const path = { address: token.address };
  const given = tokenId === null ? {} : { tokenId };
  const { data, error, refetch } = query.useQuery('get', '/tokens/{address}/metadata', {
    params: { path, query: given },
  });
  const problem = toProblem(error);
  if (problem) return <ProblemNotice problem={problem} onRetry={() => void refetch()} />;
  if (!data) return <RowsSkeleton rows={4} />;
  return (
    <Stack gap="lg">
      <Section
        title={tokenId === null ? 'Metadata of the token' : `Metadata of #${tokenId}`}
        description="Kept on the chain, key by key (ERC-8048). Saving them is free."
      >
        <MetadataEditor
          initial={toDraft(data)}
          contract={{ name: token.name, symbol: token.symbol }}
          {...given}
          describe={(metadata) =>
            describeCall('put', '/tokens/{address}/metadata', { path, body: { ...metadata, ...given } })
          }
          note={
            <>
              {token.paused && (
                <Alert color="orange" title="The token is paused">
                  Metadata cannot be changed until it is resumed.
                </Alert>
              )}
              {limits.metadataFrozenForGoodAt !== null && (
                <Alert color="orange" title="All metadata are frozen">
                  <TakenBackUntil forGoodAt={limits.metadataFrozenForGoodAt} />.
                </Alert>
              )}
            </>
          }
        />
      </Section>
      {tokenId !== null && <FreezeNft address={token.address} symbol={token.symbol} tokenId={tokenId} />}
    </Stack>
  );
}
