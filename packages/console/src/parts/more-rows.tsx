import { Button, Center } from '@mantine/core';
import type { List } from '../api/list.ts';

/** Below a list: reads its next page. */
export function MoreRows<Row>({ list }: { list: List<Row> }) {
  if (!list.hasMore) return null;
  return (
    <Center mt="md">
      <Button variant="default" loading={list.isLoadingMore} onClick={list.loadMore}>
        Show more
      </Button>
    </Center>
  );
}
