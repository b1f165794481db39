import { Button, Group, SegmentedControl } from '@mantine/core';
import { CreditCardIcon, PlusIcon } from '@primer/octicons-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { DOCS_URL } from '../../api/addresses.ts';
import { useList } from '../../api/list.ts';
import type { RowOf } from '../../api/list.ts';
import { Address } from '../../parts/address.tsx';
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
import { nameStandard } from './standards.ts';

const PAGE = 50;

type Token = RowOf<'/tokens'>;
type Filter = 'all' | Token['type'];

const FILTERS: { value: Filter; label: string }[] = [
  { value: 'all', label: 'All' },
  { value: 'ERC20', label: 'ERC-20' },
  { value: 'ERC721', label: 'ERC-721' },
];

const COLUMNS: Column<Token>[] = [
  {
    name: 'Token',
    render: ({ address, name, symbol }) => (
      <NamedContract href={`/tokens/${address}`} name={name} symbol={symbol} />
    ),
  },
  { name: 'Standard', render: ({ type }) => <span className="one-line">{nameStandard(type)}</span> },
  { name: 'Address', render: ({ address }) => <Address value={address} /> },
  {
    name: 'Who may receive mints',
    render: ({ permissionless }) => (permissionless ? 'Anyone' : 'Approved accounts'),
  },
  { name: 'Deployed', render: ({ createdAt }) => <When at={createdAt} as="day" /> },
];

export function TokensPage() {
  const { typed, setTyped, search } = useSearchText();
  const [filter, setFilter] = useState<Filter>('all');
  const type = filter === 'all' ? undefined : filter;
  const list = useList('/tokens', {
    query: {
      limit: PAGE,
      ...(search === undefined ? {} : { search }),
      ...(type === undefined ? {} : { type }),
    },
  });
  const isNarrowed = search !== undefined || type !== undefined;
  const isEmpty = !list.isPending && !list.problem && list.rows.length === 0;
  return (
    <>
      <PageHeader
        title="Tokens"
        description="Every contract of this account on the chain: tokens, and the contracts of its collections."
        actions={<DeployLink />}
      />
      {!(isEmpty && !isNarrowed) && (
        <Group mb="md" gap="sm" role="search">
          <SearchField typed={typed} onType={setTyped} label="Search the tokens" />
          <SegmentedControl
            aria-label="Standard"
            // A colour on its way is hard to read.
            styles={{ label: { transition: 'none' } }}
            data={FILTERS}
            value={filter}
            onChange={(value) => setFilter(value)}
          />
        </Group>
      )}
      {list.isPending && <RowsSkeleton />}
      <ProblemNotice problem={list.problem} onRetry={list.refetch} />
      {isEmpty && (isNarrowed ? <NothingFound what="token" /> : <NoTokens />)}
      {list.rows.length > 0 && (
        <DataTable label="Tokens" columns={COLUMNS} rows={list.rows} keyOf={({ address }) => address} />
      )}
      <MoreRows list={list} />
    </>
  );
}

function DeployLink() {
  return (
    <Button component={Link} href="/tokens/new" leftSection={<PlusIcon />}>
      Deploy a token
    </Button>
  );
}

function NoTokens() {
  return (
    <EmptyState
      icon={<CreditCardIcon size={24} />}
      title="No tokens yet"
      actions={
        <>
          <Button component={Link} href="/tokens/new">
            Deploy your first token
          </Button>
          <Button variant="default" component="a" href={DOCS_URL}>
            API reference
          </Button>
        </>
      }
    >
      A token is a contract of its own on the chain: an ERC-20 for points, credits or a currency, an ERC-721
      for things that are each one of a kind. You decide at its deployment what its issuer can never do; the
      service deploys it, pays the gas and mints for you.
    </EmptyState>
  );
}
