import { SimpleGrid, Stack, Text } from '@mantine/core';
import { describeCall } from '../../api/call.ts';
import { query } from '../../api/query.ts';
import { CreditsMeter, GasMeter, QuotaMeter } from '../../parts/account-meters.tsx';
import { CopyAsCode } from '../../parts/copy-as-code/copy-as-code.tsx';
import { PageHeader } from '../../parts/page-header.tsx';

export function UsagePage() {
  const { data: credits } = query.useQuery('get', '/v1/billing/credits');
  const plan = credits ? ` Yours is ${credits.plan}.` : '';
  return (
    <>
      <PageHeader
        title="Usage"
        description={`What the plan allows and what is left of it.${plan} The operator of this service changes plans.`}
      />
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="lg">
        <Explained meter={<QuotaMeter />} call={describeCall('get', '/stats')}>
          Each deployment and each mint of the token API takes one. It begins anew with each month, in UTC;
          nothing carries over. What fails on the chain is given back.
        </Explained>
        <Explained meter={<CreditsMeter />} call={describeCall('get', '/v1/billing/credits')}>
          {credits
            ? `A collection costs ${credits.prices.createCollection}, a mint ${credits.prices.mint}. `
            : 'Collections and their mints cost credits. '}
          The sandbox costs nothing. They begin anew with each month, in UTC.
        </Explained>
        <Explained meter={<GasMeter />} call={describeCall('get', '/stats/gas')}>
          A limit of fair use. Each deployment, mint or collection brings 420,000 gas of its own; controls and
          metadata draw on this budget. It begins anew with each day, in UTC.
        </Explained>
      </SimpleGrid>
    </>
  );
}

function Explained({
  meter,
  call,
  children,
}: {
  meter: React.ReactNode;
  call: Parameters<typeof CopyAsCode>[0]['call'];
  children: React.ReactNode;
}) {
  return (
    <Stack gap="xs">
      {meter}
      <Text size="sm" c="dimmed" px="xs">
        {children}
      </Text>
      <CopyAsCode call={call} />
    </Stack>
  );
}
