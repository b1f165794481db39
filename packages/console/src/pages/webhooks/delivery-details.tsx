import { Alert, Anchor, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { describeCall } from '../../api/call.ts';
import type { RowOf } from '../../api/list.ts';
import { useSubmission } from '../../api/submission.ts';
import { CopyAsCode } from '../../parts/copy-as-code/copy-as-code.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Facts } from '../../parts/facts.tsx';
import { notifyDone } from '../../parts/notify.ts';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { When } from '../../parts/when.tsx';

type Delivery = RowOf<'/v1/webhooks/{id}/deliveries'>;

const MAX_ATTEMPTS = 10;

interface Dialogue {
  webhookId: string;
  /** A disabled webhook is sent nothing, replays neither. */
  isEnabled: boolean;
  onClose: () => void;
}

/** One message to a webhook. @param delivery null while the dialogue is closed */
export function DeliveryDetails({ delivery, ...props }: Dialogue & { delivery: Delivery | null }) {
  return (
    <Modal
      opened={delivery !== null}
      onClose={props.onClose}
      title={<Text fw={600}>{delivery?.event}</Text>}
      size="lg"
    >
      {delivery && <Details {...props} delivery={delivery} />}
    </Modal>
  );
}

function Details({ webhookId, isEnabled, delivery, onClose }: Dialogue & { delivery: Delivery }) {
  const { id, intentId, status, attempts, responseStatus, error } = delivery;
  const submission = useSubmission<Delivery>({ onDone: () => notifyDone('The message is sent again') });
  const call = describeCall('post', '/v1/webhooks/{id}/deliveries/{deliveryId}/replay', {
    path: { id: webhookId, deliveryId: id },
  });
  return (
    <Stack>
      {error !== null && status !== 'delivered' && (
        <Alert color={status === 'failed' ? 'red' : 'orange'} title="The last attempt failed" variant="light">
          <span className="break">{error}</span>
        </Alert>
      )}
      <Facts
        facts={{
          Status: <StatusBadge status={status} />,
          Answer: responseStatus === null ? (attempts === 0 ? 'not yet' : 'none') : `HTTP ${responseStatus}`,
          Attempts: `${attempts} of ${MAX_ATTEMPTS}`,
          'Last attempt': delivery.attemptedAt && <When at={delivery.attemptedAt} />,
          'Next attempt': delivery.nextAttemptAt && <When at={delivery.nextAttemptAt} as="relative" />,
          Created: <When at={delivery.createdAt} />,
          Intent: intentId && (
            <Anchor component={Link} href={`/intents/${intentId}`} inherit className="mono">
              {intentId}
            </Anchor>
          ),
          'webhook-id': (
            <>
              <span className="mono">{id}</span> <CopyButton text={id} label="webhook-id" />
            </>
          ),
        }}
      />
      <Text size="sm" c="dimmed">
        A replay has the same body and the same <code>webhook-id</code>: a receiver that has seen it drops it.
      </Text>
      <ProblemNotice problem={submission.problem} />
      <CopyAsCode call={call} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
        <Button disabled={!isEnabled} loading={submission.isSending} onClick={() => submission.send(call)}>
          Send again
        </Button>
      </Group>
    </Stack>
  );
}
