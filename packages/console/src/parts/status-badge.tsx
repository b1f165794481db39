import { Badge } from '@mantine/core';

type Tone = 'good' | 'busy' | 'bad' | 'quiet' | 'warn';

const COLOURS: Record<Tone, string> = {
  good: 'green',
  busy: 'blue',
  bad: 'red',
  quiet: 'gray',
  warn: 'orange',
};

/** What the contract's words for a state mean; a word that is not here is quiet. */
const TONES: Record<string, Tone> = {
  ...{ queued: 'busy', submitted: 'busy', confirmed: 'good', failed: 'bad', cancelled: 'quiet' },
  ...{ pending: 'busy', delivered: 'good', enabled: 'good', disabled: 'warn' },
  ...{ active: 'good', revoked: 'quiet', paused: 'warn', locked: 'warn', frozen: 'warn' },
  ...{ live: 'good', sandbox: 'warn' },
};

/** A state in a word, whose colour only underlines it. */
export function StatusBadge({ status, tone = TONES[status] ?? 'quiet' }: { status: string; tone?: Tone }) {
  return (
    <Badge
      component="span"
      variant="light"
      color={COLOURS[tone]}
      tt="none"
      fw={500}
      radius="sm"
      miw="max-content"
    >
      {status}
    </Badge>
  );
}
