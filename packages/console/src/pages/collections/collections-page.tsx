import { Button, Group } from '@mantine/core';
import { ImageIcon, PlusIcon } from '@primer/octicons-react';
import { Link } from 'wouter';
import { useList } from '../../api/list.ts';
import type { RowOf } from '../../api/list.ts';
import { sandbox } from '../../api/sandbox.ts';
import { useStore } from '../../api/store.ts';
import { Address } from '../../parts/address.tsx';
import { groupDigits } from '../../parts/amount-text.ts';
import { DataTable } from '../../parts/data-table.tsx';
import type { Column } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { MoreRows } from '../../parts/more-rows.tsx';
import { NamedContract } from '../../parts/named-contract.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { RowsSkeleton } from '../../parts/page-skeleton.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { NothingFound, SearchField, useSearchText } from '../../parts/search-field.tsx';
import { When } from '../../parts/when.tsx';

const PAGE = 50;

type Collection = RowOf<'/v1/collections'>;

const COLUMNS: Column<Collection>[] = [
  {
    name: 'Collection',
    render: ({ address, name, symbol }) => (
      <NamedContract href={`/collections/${address}`} name={name} symbol={symbol} />
    ),
  },
  {
    name: 'Address',
    render: ({ address, environment }) =>
      environment === 'sandbox' ? <Address value={address} href={null} /> : <Address value={address} />,
  },
  { name: 'Minted', isNumber: true, render: ({ minted }) => groupDigits(String(minted)) },
  { name: 'Created', render: ({ createdAt }) => <When at={createdAt} as="day" /> },
];

export function CollectionsPage() {
  const { typed, setTyped, search } = useSearchText();
  const list = useList('/v1/collections', {
    query: { limit: PAGE, ...(search === undefined ? {} : { search }) },
  });
  const isEmpty = !list.isPending && !list.problem && list.rows.length === 0;
  return (
    <>
      <PageHeader
        title="Collections"
        description="Contracts for NFTs, paid in credits. Minting takes one request, for one or for a whole list of recipients."
        actions={
          <Button component={Link} href="/collections/new" leftSection={<PlusIcon />}>
            Create a collection
          </Button>
        }
      />
      {!(isEmpty && search === undefined) && (
        <Group mb="md" role="search">
          <SearchField typed={typed} onType={setTyped} label="Search the collections" />
        </Group>
      )}
      {list.isPending && <RowsSkeleton />}
      <ProblemNotice problem={list.problem} onRetry={list.refetch} />
      {isEmpty && (search === undefined ? <NoCollections /> : <NothingFound what="collection" />)}
      {list.rows.length > 0 && (
        <DataTable label="Collections" columns={COLUMNS} rows={list.rows} keyOf={({ address }) => address} />
      )}
      <MoreRows list={list} />
    </>
  );
}

function NoCollections() {
  const isSandbox = useStore(sandbox) !== null;
  return (
    <EmptyState
      icon={<ImageIcon size={24} />}
      title={isSandbox ? 'No collections in the sandbox yet' : 'No collections yet'}
      actions={
        <Button component={Link} href="/collections/new">
          Create your first collection
        </Button>
      }
    >
      A collection is a contract for NFTs: tickets, certificates, pictures. Create one, then mint into it: to
      one account, or to a list of them from a spreadsheet. Whoever receives an NFT needs no wallet connected
      to this service.
      {isSandbox
        ? ' In the sandbox nothing goes to a chain, and nothing costs credits.'
        : ' The switch at the top opens the sandbox, where you can try it at no cost.'}
    </EmptyState>
  );
}
