import type { components } from '../../../../../generated/api.ts';
import { StatusBadge } from '../../parts/status-badge.tsx';

type Webhook = components['schemas']['Webhook'];

/** Why the service has disabled a webhook, for people. */
export const DISABLED_BECAUSE: Record<components['schemas']['DisabledReason'], string> = {
  GONE: 'The receiver answered 410 Gone, which says that it wants no more.',
  FAILING: 'Every attempt of five days failed.',
};

export function WebhookState({ webhook: { enabled, disabledReason } }: { webhook: Webhook }) {
  if (enabled) return <StatusBadge status="enabled" />;
  return (
    <span title={disabledReason ? DISABLED_BECAUSE[disabledReason] : undefined}>
      <StatusBadge
        status={disabledReason ? `disabled: ${disabledReason.toLowerCase()}` : 'disabled'}
        tone={disabledReason ? 'bad' : 'warn'}
      />
    </span>
  );
}
