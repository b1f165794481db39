import { Anchor, Group, Paper, Skeleton, Stack, Text } from '@mantine/core';
import { AlertIcon, CheckCircleFillIcon } from '@primer/octicons-react';
import { DOCS_URL, EXPLORER_URL, SERVICE_URL } from '../../api/addresses.ts';
import { toProblem } from '../../api/problem.ts';
import { query } from '../../api/query.ts';

const EVERY_MS = 15_000;

/** What `GET /ready` says. */
export function ServiceHealth() {
  const { data, error } = query.useQuery('get', '/ready', {}, { refetchInterval: EVERY_MS, retry: false });
  const problem = toProblem(error);
  return (
    <section aria-label="Service">
      <Text fw={600} component="h2" mb="sm">
        Service
      </Text>
      <Paper withBorder p="lg">
        <div role="status">
          {problem ? (
            <Group gap="xs" c="red" wrap="nowrap" align="flex-start">
              <AlertIcon size={20} />
              <div>
                <Text fw={600}>Needs attention</Text>
                <Text size="sm" className="break">
                  {problem.message}
                </Text>
              </div>
            </Group>
          ) : data ? (
            <Group gap="xs" wrap="nowrap">
              <Text c="green" component="span" lh={1}>
                <CheckCircleFillIcon size={20} />
              </Text>
              <Text fw={600}>Everything is in order</Text>
            </Group>
          ) : (
            <Skeleton h={24} />
          )}
        </div>
        <Text size="sm" c="dimmed" mt="xs">
          Database, chain, signers, and whether what was accepted gets on.
        </Text>
        <Stack gap={6} mt="lg">
          <Text size="sm" className="break">
            API: <code>{SERVICE_URL}</code>
          </Text>
          <Anchor size="sm" href={DOCS_URL}>
            API reference
          </Anchor>
          <Anchor size="sm" href={EXPLORER_URL}>
            Explorer
          </Anchor>
        </Stack>
      </Paper>
    </section>
  );
}
