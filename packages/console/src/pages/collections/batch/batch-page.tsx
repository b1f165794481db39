import { Anchor, Stack } from '@mantine/core';
import { useState } from 'react';
import { Link, useParams } from 'wouter';
import { PageHeader } from '../../../parts/page-header.tsx';
import { RowsSkeleton } from '../../../parts/page-skeleton.tsx';
import { ProblemNotice } from '../../../parts/problem-notice.tsx';
import { useCollection } from '../use-collection.ts';
import type { Collection } from '../use-collection.ts';
import { BadCells } from './bad-cells.tsx';
import { CheckedList } from './checked-list.tsx';
import { ListSource } from './list-source.tsx';
import type { Source } from './list-source.tsx';
import { readList } from './read-list.ts';
import { nameList } from './split-list.ts';

export function BatchPage() {
  const { address } = useParams<{ address: string }>();
  const { collection, problem, retry } = useCollection(address);
  return (
    <>
      <PageHeader
        title="Mint a list"
        description={
          collection && (
            <>
              Into{' '}
              <Anchor component={Link} href={`/collections/${address}`} inherit className="break">
                <bdi>{collection.name}</bdi>
              </Anchor>
              , from a spreadsheet. Nothing is sent before every row is right.
            </>
          )
        }
      />
      <ProblemNotice problem={problem} onRetry={retry} />
      {!problem && !collection && <RowsSkeleton />}
      {collection && <List collection={collection} />}
    </>
  );
}

function List({ collection }: { collection: Collection }) {
  const [source, setSource] = useState<Source | null>(null);
  const [isLocked, setLocked] = useState(false);
  const read = source && readList(source.text);
  return (
    <Stack gap="lg">
      <ListSource source={source} onChange={setSource} isLocked={isLocked} />
      {read && read.bad.length > 0 && <BadCells bad={read.bad} />}
      {source && read && read.bad.length === 0 && read.items.length > 0 && (
        <CheckedList
          key={nameList(collection.address, source.text)}
          collection={collection}
          list={nameList(collection.address, source.text)}
          items={read.items}
          onRunning={setLocked}
        />
      )}
    </Stack>
  );
}
