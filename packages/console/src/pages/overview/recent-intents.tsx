import { Anchor, Button, Group, Text } from '@mantine/core';
import { RocketIcon } from '@primer/octicons-react';
import { Link } from 'wouter';
import { EmptyState } from '../../parts/empty-state.tsx';
import { NewestIntents } from '../../parts/newest-intents.tsx';

const TITLE = 'What happened last';

/** The newest writes, live. */
export function RecentIntents() {
  return (
    <section aria-label={TITLE}>
      <Group justify="space-between" mb="sm">
        <Text fw={600} component="h2">
          {TITLE}
        </Text>
        <Anchor component={Link} href="/intents" size="sm">
          All intents
        </Anchor>
      </Group>
      <NewestIntents label={TITLE}>
        <FirstSteps />
      </NewestIntents>
    </section>
  );
}

function FirstSteps() {
  return (
    <EmptyState
      icon={<RocketIcon size={24} />}
      title="Nothing has happened yet"
      actions={
        <>
          <Button component={Link} href="/tokens/new">
            Deploy a token
          </Button>
          <Button variant="default" component={Link} href="/keys">
            Create an API key
          </Button>
        </>
      }
    >
      Every write to the chain is an intent, and stands here with its transaction. Deploy a token, mint it,
      and watch both arrive; or create an API key and do it from a program.
    </EmptyState>
  );
}
