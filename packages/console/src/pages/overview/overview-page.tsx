import { Button, Grid, SimpleGrid, Stack } from '@mantine/core';
import { PlusIcon } from '@primer/octicons-react';
import { Link } from 'wouter';
import { PageHeader } from '../../parts/page-header.tsx';
import { CreditsMeter, GasMeter, QuotaMeter } from '../../parts/account-meters.tsx';
import { RecentIntents } from './recent-intents.tsx';
import { ServiceHealth } from './service-health.tsx';

export function OverviewPage() {
  return (
    <>
      <PageHeader
        title="Overview"
        description="What is left of the plan, what happened last, and whether the service is well."
        actions={
          <>
            <Button variant="default" component={Link} href="/collections/new">
              New collection
            </Button>
            <Button component={Link} href="/tokens/new" leftSection={<PlusIcon />}>
              New token
            </Button>
          </>
        }
      />
      <Stack gap="lg">
        <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="lg">
          <QuotaMeter />
          <CreditsMeter />
          <GasMeter />
        </SimpleGrid>
        <Grid gap="lg">
          <Grid.Col span={{ base: 12, lg: 8 }}>
            <RecentIntents />
          </Grid.Col>
          <Grid.Col span={{ base: 12, lg: 4 }}>
            <ServiceHealth />
          </Grid.Col>
        </Grid>
      </Stack>
    </>
  );
}
