import { Anchor, Group, Stack, Text } from '@mantine/core';
import { Link, useParams } from 'wouter';
import { describeCall } from '../../api/call.ts';
import { toProblem } from '../../api/problem.ts';
import { query } from '../../api/query.ts';
import { Address } from '../../parts/address.tsx';
import { FreezeNft } from '../../parts/metadata/freeze-nft.tsx';
import { NO_METADATA, toDraft } from '../../parts/metadata/metadata-draft.ts';
import type { MetadataDraft } from '../../parts/metadata/metadata-draft.ts';
import { MetadataEditor } from '../../parts/metadata/metadata-editor.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { RowsSkeleton } from '../../parts/page-skeleton.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { Section } from '../../parts/section.tsx';
import { UnreadNote } from './unread-note.tsx';
import { useCollection } from './use-collection.ts';
import type { Collection } from './use-collection.ts';

export function NftPage() {
  const { address, tokenId } = useParams<{ address: string; tokenId: string }>();
  const { collection, problem, retry } = useCollection(address);
  return (
    <>
      <PageHeader
        title={collection ? `${collection.name} #${tokenId}` : `#${tokenId}`}
        description={collection && <Summary collection={collection} />}
      />
      <ProblemNotice problem={problem} onRetry={retry} />
      {!problem && !collection && <RowsSkeleton />}
      {collection && <Metadata collection={collection} tokenId={tokenId} />}
    </>
  );
}

function Summary({ collection: { address, name, environment } }: { collection: Collection }) {
  return (
    <Group gap="xs" component="span">
      <Text span inherit>
        in{' '}
        <Anchor component={Link} href={`/collections/${address}`} inherit className="break">
          <bdi>{name}</bdi>
        </Anchor>
      </Text>
      {environment === 'sandbox' ? <Address value={address} href={null} /> : <Address value={address} />}
    </Group>
  );
}

function Metadata({ collection, tokenId }: { collection: Collection; tokenId: string }) {
  const isLive = collection.environment === 'live';
  const { data, error, refetch } = query.useQuery(
    'get',
    '/tokens/{address}/metadata',
    { params: { path: { address: collection.address }, query: { tokenId } } },
    { enabled: isLive },
  );
  const problem = toProblem(error);
  if (problem) return <ProblemNotice problem={problem} onRetry={() => void refetch()} />;
  if (isLive && !data) return <RowsSkeleton rows={4} />;
  return (
    <Stack gap="lg">
      <Editor collection={collection} tokenId={tokenId} initial={data ? toDraft(data) : NO_METADATA} />
      {isLive && <FreezeNft address={collection.address} symbol={collection.symbol} tokenId={tokenId} />}
    </Stack>
  );
}

function Editor({
  collection: { address, name, symbol, environment },
  tokenId,
  initial,
}: {
  collection: Collection;
  tokenId: string;
  initial: MetadataDraft;
}) {
  return (
    <Section title="Metadata" description="The chain keeps them key by key (ERC-8048). Saving them is free.">
      <MetadataEditor
        initial={initial}
        contract={{ name, symbol }}
        tokenId={tokenId}
        describe={(metadata) =>
          describeCall('put', '/v1/collections/{address}/tokens/{tokenId}/metadata', {
            path: { address, tokenId },
            body: metadata,
          })
        }
        note={environment === 'sandbox' && <UnreadNote />}
      />
    </Section>
  );
}
