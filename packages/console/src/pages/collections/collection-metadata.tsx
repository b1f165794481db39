import { describeCall } from '../../api/call.ts';
import { toProblem } from '../../api/problem.ts';
import { query } from '../../api/query.ts';
import { NO_METADATA, fromRendered } from '../../parts/metadata/metadata-draft.ts';
import type { MetadataDraft } from '../../parts/metadata/metadata-draft.ts';
import { MetadataEditor } from '../../parts/metadata/metadata-editor.tsx';
import { RowsSkeleton } from '../../parts/page-skeleton.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { Section } from '../../parts/section.tsx';
import { UnreadNote } from './unread-note.tsx';
import type { Collection } from './use-collection.ts';

/** What `contractURI` says of the whole collection. */
export function CollectionMetadata({ collection }: { collection: Collection }) {
  const isLive = collection.environment === 'live';
  const { data, error, refetch } = query.useQuery(
    'get',
    '/tokenURI/{address}',
    { params: { path: { address: collection.address } } },
    { enabled: isLive },
  );
  const problem = toProblem(error);
  if (problem) return <ProblemNotice problem={problem} onRetry={() => void refetch()} />;
  if (!isLive) return <Editor collection={collection} initial={NO_METADATA} />;
  return data ? <Editor collection={collection} initial={fromRendered(data)} /> : <RowsSkeleton rows={4} />;
}

function Editor({ collection, initial }: { collection: Collection; initial: MetadataDraft }) {
  const { address, name, symbol, environment } = collection;
  return (
    <Section
      title="Metadata of the collection"
      description="What marketplaces show above its NFTs (ERC-7572). Each NFT has metadata of its own. Saving them is free."
    >
      <MetadataEditor
        initial={initial}
        contract={{ name, symbol }}
        describe={(metadata) =>
          describeCall('put', '/v1/collections/{address}/metadata', { path: { address }, body: metadata })
        }
        note={environment === 'sandbox' && <UnreadNote />}
      />
    </Section>
  );
}
