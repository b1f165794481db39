import { Alert, Anchor, Stack } from '@mantine/core';
import { useMemo, useState } from 'react';
import { Link, useParams } from 'wouter';
import { useStore } from '../../../api/store.ts';
import { PageHeader } from '../../../parts/page-header.tsx';
import { RowsSkeleton } from '../../../parts/page-skeleton.tsx';
import { ProblemNotice } from '../../../parts/problem-notice.tsx';
import { useCollection } from '../use-collection.ts';
import type { Collection } from '../use-collection.ts';
import { BadCells } from './bad-cells.tsx';
import { CheckedList } from './checked-list.tsx';
import { forgetRun, listRun } from './list-run.ts';
import { ListSource } from './list-source.tsx';
import type { Source } from './list-source.tsx';
import { Progress } from './progress.tsx';
import { readList } from './read-list.ts';

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
  const run = useStore(listRun);
  const own = run?.address === collection.address ? run : null;
  const [source, setSource] = useState<Source | null>(own?.source ?? null);
  const read = useMemo(() => source && readList(source.text), [source]);
  if (run?.isRunning && !own) return <OtherList address={run.address} />;
  const change = (next: Source | null): void => {
    forgetRun();
    setSource(next);
  };
  const isRight = source && read && read.bad.length === 0 && read.items.length > 0;
  return (
    <Stack gap="lg">
      <ListSource source={source} onChange={change} isLocked={own?.isRunning ?? false} />
      {read && read.bad.length > 0 && <BadCells bad={read.bad} />}
      {isRight && !own && (
        <CheckedList key={source.text} collection={collection} source={source} read={read} />
      )}
      {own && <Progress run={own} />}
    </Stack>
  );
}

function OtherList({ address }: { address: string }) {
  return (
    <Alert color="orange" title="Another list is minted">
      One list at a time.{' '}
      <Anchor component={Link} href={`/collections/${address}/batch`} inherit underline="always">
        See how far it is
      </Anchor>
    </Alert>
  );
}
