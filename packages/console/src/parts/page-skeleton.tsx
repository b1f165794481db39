import { Box, Skeleton, Stack } from '@mantine/core';

/** While a page, or what it shows, is loading. */
export function PageSkeleton() {
  return (
    <Stack gap="lg" role="status" aria-label="Loading">
      <Skeleton h={34} w={220} />
      <Skeleton h={18} w="min(28rem, 80%)" />
      <RowsSkeleton />
    </Stack>
  );
}

/** In place of a list. */
export function RowsSkeleton({ rows = 6 }: { rows?: number }) {
  return (
    <Box role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, index) => (
        <Skeleton key={index} h={44} mb="xs" />
      ))}
    </Box>
  );
}
