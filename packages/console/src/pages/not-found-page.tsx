import { Anchor, Text } from '@mantine/core';
import { Link } from 'wouter';
import { PageHeader } from '../parts/page-header.tsx';

export function NotFoundPage() {
  return (
    <>
      <PageHeader title="Not found" />
      <Text>
        The console has no such page. Go to the{' '}
        <Anchor component={Link} href="/" underline="always">
          overview
        </Anchor>
        .
      </Text>
    </>
  );
}
