import { Divider, Group, Stack } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import type { components } from '../../../../../generated/api.ts';
import { describeCall } from '../../api/call.ts';
import { toProblem } from '../../api/problem.ts';
import { query } from '../../api/query.ts';
import { AccountField } from '../../parts/account-field.tsx';
import { ActionRow } from '../../parts/action-row.tsx';
import { Address } from '../../parts/address.tsx';
import { FactRows } from '../../parts/fact-rows.tsx';
import { RowsSkeleton } from '../../parts/page-skeleton.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { Section } from '../../parts/section.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Renounced } from './renounced.tsx';
import { describeAmount } from './token-state.ts';
import type { TokenState } from './token-state.ts';

const PAUSE_MS = 300;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

export function TokenAccounts(state: TokenState) {
  const [typed, setTyped] = useState('');
  const [account] = useDebouncedValue(typed, PAUSE_MS);
  return (
    <Stack gap="lg">
      <Section
        title="An account"
        description="What it holds, and what it may do with this token. The chain keeps no list of holders: look one up by its address."
      >
        <AccountField label="Address" value={typed} onChange={setTyped} isRequired={false} />
      </Section>
      {ADDRESS.test(account) && <Account key={account} {...state} account={account} />}
    </Stack>
  );
}

function Account({ account, ...state }: TokenState & { account: string }) {
  const { address } = state.token;
  const { data, error, refetch } = query.useQuery('get', '/tokens/{address}/accounts/{account}', {
    params: { path: { address, account } },
  });
  const problem = toProblem(error);
  if (problem) return <ProblemNotice problem={problem} onRetry={() => void refetch()} />;
  if (!data) return <RowsSkeleton rows={3} />;
  return (
    <Section title="What it is here">
      <Stack>
        <Marks {...state} marks={data} />
        <Divider color="var(--line)" />
        <Freeze {...state} marks={data} />
        {!state.token.permissionless && (
          <>
            <Divider color="var(--line)" />
            <Approve {...state} marks={data} />
          </>
        )}
      </Stack>
    </Section>
  );
}

type OfAccount = TokenState & { marks: components['schemas']['TokenAccount'] };

function Marks({ marks, ...state }: OfAccount) {
  return (
    <FactRows
      rows={[
        ['Account', <Address key="account" value={marks.account} />],
        ['Holds', describeAmount(marks.balance, state)],
        [
          'Transfers',
          <Group key="transfers" gap={6} justify="flex-end">
            {marks.frozen ? <StatusBadge status="frozen" /> : 'Allowed'}
          </Group>,
        ],
        [
          'Mints',
          state.token.permissionless
            ? 'Allowed, as for every account'
            : marks.approved
              ? 'Allowed: it is approved'
              : 'Refused: it is not approved',
        ],
      ]}
    />
  );
}

function Freeze({ token, limits, marks: { account, frozen } }: OfAccount) {
  const values = { path: { address: token.address }, body: { account } };
  if (frozen) {
    return (
      <ActionRow
        title="Unfreeze"
        action="Unfreeze"
        call={describeCall('post', '/tokens/{address}/unfreeze', values)}
        done="The account can send and receive again"
      >
        It can send and receive this token again.
      </ActionRow>
    );
  }
  if (limits.controlsRenounced) return <Renounced>Nobody can freeze an account any more.</Renounced>;
  return (
    <ActionRow
      title="Freeze"
      action="Freeze"
      call={describeCall('post', '/tokens/{address}/freeze', values)}
      done="The account is frozen"
    >
      It can neither send nor receive this token until you unfreeze it. What it holds stays its own.
    </ActionRow>
  );
}

function Approve({ token, marks: { account, approved } }: OfAccount) {
  const values = { path: { address: token.address }, body: { account } };
  return approved ? (
    <ActionRow
      title="Withdraw the approval"
      action="Withdraw"
      call={describeCall('post', '/tokens/{address}/unapprove-account', values)}
      done="The account is not approved any more"
    >
      It can receive no more mints. What it holds stays its own.
    </ActionRow>
  ) : (
    <ActionRow
      title="Approve"
      action="Approve"
      call={describeCall('post', '/tokens/{address}/approve-account', values)}
      done="The account is approved"
    >
      This token is permissioned: it can be minted to approved accounts alone.
    </ActionRow>
  );
}
