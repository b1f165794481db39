import { Button, Menu } from '@mantine/core';
import {
  CircleSlashIcon,
  CheckCircleIcon,
  KebabHorizontalIcon,
  KeyIcon,
  PencilIcon,
  TrashIcon,
} from '@primer/octicons-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { components } from '../../../../../generated/api.ts';
import { describeCall } from '../../api/call.ts';
import { ConfirmCall } from '../../parts/confirm-call.tsx';
import { notifyDone } from '../../parts/notify.ts';
import { EditWebhook } from './edit-webhook.tsx';
import { RotateSecret } from './rotate-secret.tsx';

type Webhook = components['schemas']['Webhook'];
type Dialogue = 'edit' | 'rotate' | 'toggle' | 'delete';

/** What can be done to a webhook, each in a dialogue of its own. */
export function WebhookActions({ webhook }: { webhook: Webhook }) {
  const [open, setOpen] = useState<Dialogue | null>(null);
  const [, navigate] = useLocation();
  const { id, url, enabled } = webhook;
  const close = (): void => setOpen(null);
  return (
    <>
      <Button variant="default" leftSection={<PencilIcon />} onClick={() => setOpen('edit')}>
        Edit
      </Button>
      <Menu position="bottom-end" width={200}>
        <Menu.Target>
          <Button variant="default" px="sm" aria-label="More actions">
            <KebabHorizontalIcon />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<KeyIcon />} onClick={() => setOpen('rotate')}>
            Rotate secret
          </Menu.Item>
          <Menu.Item
            leftSection={enabled ? <CircleSlashIcon /> : <CheckCircleIcon />}
            onClick={() => setOpen('toggle')}
          >
            {enabled ? 'Disable' : 'Enable'}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item color="red" leftSection={<TrashIcon />} onClick={() => setOpen('delete')}>
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <EditWebhook webhook={webhook} isOpen={open === 'edit'} onClose={close} />
      <RotateSecret webhookId={id} isOpen={open === 'rotate'} onClose={close} />
      <ConfirmCall
        isOpen={open === 'toggle'}
        onClose={close}
        title={enabled ? 'Disable this webhook' : 'Enable this webhook'}
        call={describeCall('patch', '/v1/webhooks/{id}', { path: { id }, body: { enabled: !enabled } })}
        action={enabled ? 'Disable webhook' : 'Enable webhook'}
        isDangerous={enabled}
        onDone={() => notifyDone(enabled ? 'The webhook is disabled' : 'The webhook is enabled')}
      >
        {enabled
          ? 'Nothing more is sent, and what happens from now on is not sent later either. You can enable it again.'
          : 'What happens from now on is sent to it. Its earlier failures no longer count.'}
      </ConfirmCall>
      <ConfirmCall
        isOpen={open === 'delete'}
        onClose={close}
        title="Delete this webhook"
        call={describeCall('delete', '/v1/webhooks/{id}', { path: { id } })}
        action="Delete webhook"
        isDangerous
        onDone={() => {
          notifyDone('The webhook is deleted');
          navigate('/webhooks');
        }}
      >
        Nothing more is sent to <bdi className="break">{url}</bdi>. Its secret and its log of deliveries are
        gone at once, for ever.
      </ConfirmCall>
    </>
  );
}
