import { Alert, Anchor, Text } from '@mantine/core';
import { ClockIcon } from '@primer/octicons-react';
import { Fragment } from 'react';
import { Link } from 'wouter';
import type { components } from '../../../../../generated/api.ts';
import { When } from '../../parts/when.tsx';

const INTENT_ID = /([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/;

/** Why an intent has no verdict yet, and what helps, in the words of the API. */
export function WaitingNotice({ waiting }: { waiting: components['schemas']['IntentWaiting'] }) {
  const { cause, action, since } = waiting;
  return (
    <Alert color="blue" variant="light" title="Under way" icon={<ClockIcon />} role="status">
      <Text size="sm" className="break">
        <Linked text={cause} />
      </Text>
      <Text size="sm" mt={6} className="break">
        <strong>What helps:</strong> <Linked text={action} />
      </Text>
      {since && (
        <Text size="xs" mt="xs">
          Since <When at={since} as="relative" />
        </Text>
      )}
    </Alert>
  );
}

/** Ids of other intents lead to them. */
function Linked({ text }: { text: string }) {
  return text.split(INTENT_ID).map((part, index) => (
    <Fragment key={index}>
      {INTENT_ID.test(part) ? (
        <Anchor component={Link} href={`/intents/${part}`} inherit c="inherit" underline="always">
          {part}
        </Anchor>
      ) : (
        part
      )}
    </Fragment>
  ));
}
