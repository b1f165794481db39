import { useState } from 'react';
import type { components } from '../../../../../generated/api.ts';
import { describeCall } from '../../api/call.ts';
import { ConfirmCall } from '../../parts/confirm-call.tsx';
import { notifyDone } from '../../parts/notify.ts';

type Key = components['schemas']['ApiKey'];

/** @param apiKey to be revoked; null while the dialogue is closed */
export function RevokeKey({ apiKey, onClose }: { apiKey: Key | null; onClose: () => void }) {
  // The dialogue still names the key while it closes.
  const [shown, setShown] = useState(apiKey);
  if (apiKey !== null && apiKey !== shown) setShown(apiKey);
  if (shown === null) return null;
  return (
    <ConfirmCall<Key>
      isOpen={apiKey !== null}
      onClose={onClose}
      title="Revoke an API key"
      call={describeCall('delete', '/v1/api-keys/{id}', { path: { id: shown.id } })}
      action="Revoke key"
      isDangerous
      onDone={() => notifyDone(`Revoked ${shown.keyPrefix}…`)}
    >
      <bdi className="break">{shown.name}</bdi> (<span className="mono">{shown.keyPrefix}…</span>) stops
      working at once, for ever. Programs that use it get 401.
    </ConfirmCall>
  );
}
