import { Badge, Group, Text } from '@mantine/core';
import { useParams } from 'wouter';
import { toProblem } from '../../api/problem.ts';
import { query } from '../../api/query.ts';
import { Address } from '../../parts/address.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { RowsSkeleton } from '../../parts/page-skeleton.tsx';
import { PageTabs } from '../../parts/page-tabs.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { MintToken } from './mint-token.tsx';
import { nameStandard } from './standards.ts';
import { TokenAccounts } from './token-accounts.tsx';
import { TokenControls } from './token-controls.tsx';
import { TokenMetadata } from './token-metadata.tsx';
import { TokenOverview } from './token-overview.tsx';
import type { TokenState } from './token-state.ts';

const TABS = [
  ['overview', 'Overview', TokenOverview],
  ['mint', 'Mint', MintToken],
  ['metadata', 'Metadata', TokenMetadata],
  ['accounts', 'Accounts', TokenAccounts],
  ['controls', 'Controls', TokenControls],
] as const;

export function TokenPage() {
  const { address } = useParams<{ address: string }>();
  const params = { path: { address } };
  const token = query.useQuery('get', '/tokens/{address}', { params });
  const limits = query.useQuery('get', '/tokens/{address}/limits', { params });
  // The list alone tells the decimals.
  const listed = query.useQuery('get', '/tokens', { params: { query: { search: address, limit: 1 } } });
  const summary = listed.data?.data[0];
  const problem = toProblem(token.error ?? limits.error ?? listed.error);
  const retry = (): void => {
    void token.refetch();
    void limits.refetch();
    void listed.refetch();
  };
  return (
    <>
      <PageHeader
        title={token.data?.name ?? 'Token'}
        description={token.data ? <Summary token={token.data} /> : <Address value={address} />}
      />
      <ProblemNotice problem={problem} onRetry={retry} />
      {!problem && !(token.data && limits.data && summary) && <RowsSkeleton />}
      {token.data && limits.data && summary && (
        <PageTabs
          label="Token"
          tabs={TABS}
          panelProps={{ token: token.data, limits: { ...limits.data, decimals: summary.decimals } }}
        />
      )}
    </>
  );
}

function Summary({ token }: Pick<TokenState, 'token'>) {
  return (
    <Group gap="xs" component="span">
      <Text span inherit fw={600} className="break">
        <bdi>{token.symbol}</bdi>
      </Text>
      <Badge component="span" variant="default" tt="none" fw={500} radius="sm">
        {nameStandard(token.type)}
      </Badge>
      {token.paused && <StatusBadge status="paused" />}
      {token.transferLocked && <StatusBadge status="transfers locked" tone="warn" />}
      <Address value={token.address} />
    </Group>
  );
}
