import { Button, Text } from '@mantine/core';
import { CheckIcon, SyncIcon, XIcon } from '@primer/octicons-react';
import { useState } from 'react';
import type { ReactNode } from 'react';
import type { components } from '../../../../../generated/api.ts';
import { Address } from '../../parts/address.tsx';
import { groupDigits } from '../../parts/amount-text.ts';
import { When } from '../../parts/when.tsx';
import { countBids, nextSteps } from './timeline-steps.ts';
import type { Entry } from './timeline-steps.ts';
import styles from './timeline.module.css';

type Event = Entry['event'];

const WEI_PER_GWEI = 1e9;

const NAMES: Record<Event, string> = {
  accepted: 'Accepted',
  sent: 'Sent',
  bid_raised: 'Bid raised',
  requeued: 'Put back into the queue',
  mined: 'Mined',
  confirmed: 'Confirmed',
  failed: 'Failed',
  cancelled: 'Cancelled',
  final: 'Final',
};

const TONES: Partial<Record<Event, string>> = { failed: 'bad', cancelled: 'quiet', requeued: 'warn' };

/** What happened to an intent, oldest first, and what is still to come. */
export function Timeline({
  entries,
  intent,
}: {
  entries: readonly Entry[];
  intent: Pick<components['schemas']['Intent'], 'createdAt'>;
}) {
  const [isWhole, setWhole] = useState(false);
  return (
    <ol className={styles.timeline}>
      {entries.map((entry, index) => {
        const bids = isWhole ? 1 : countBids(entries, index);
        if (bids === 0) return null;
        return (
          <Step
            key={index}
            entry={entry}
            name={bids > 1 ? `Bid raised ${bids} times` : NAMES[entry.event]}
            since={intent.createdAt}
            isNewHash={entry.transaction?.hash !== entries[index - 1]?.transaction?.hash}
          >
            {bids > 1 && (
              <Button size="compact-xs" variant="default" mt={6} onClick={() => setWhole(true)}>
                Show each
              </Button>
            )}
          </Step>
        );
      })}
      {nextSteps(entries).map((event) => (
        <li key={event} className={styles.step} data-tone="next">
          <span className={styles.mark} aria-hidden />
          <Text c="dimmed">
            {NAMES[event]}
            <span className={styles.unseen}>: still to come</span>
          </Text>
        </li>
      ))}
    </ol>
  );
}

/** @param isNewHash the step before it tells of another transaction, or of none */
function Step({
  entry,
  name,
  since,
  isNewHash,
  children,
}: {
  entry: Entry;
  name: string;
  since: string;
  isNewHash: boolean;
  children: ReactNode;
}) {
  const { event, at, transaction } = entry;
  return (
    <li className={styles.step} data-tone={TONES[event] ?? 'good'}>
      <span className={styles.mark} aria-hidden>
        <Mark event={event} />
      </span>
      <div>
        <div className={styles.head}>
          <Text fw={600}>{name}</Text>
          {at && <At at={at} since={since} />}
        </div>
        <Text size="sm" c="dimmed" component="div" className="break">
          {describe(entry)}
        </Text>
        {transaction && isNewHash && (
          <Text size="sm" component="div">
            <Address kind="transaction" value={transaction.hash} href={transaction.explorerUrl} />
          </Text>
        )}
        {children}
      </div>
    </li>
  );
}

function Mark({ event }: { event: Event }): ReactNode {
  if (event === 'failed' || event === 'cancelled') return <XIcon size={12} />;
  if (event === 'requeued') return <SyncIcon size={12} />;
  return <CheckIcon size={12} />;
}

/** @param since when the intent was accepted */
function At({ at, since }: { at: string; since: string }) {
  const seconds = (Date.parse(at) - Date.parse(since)) / 1_000;
  return (
    <Text size="sm" c="dimmed" component="span">
      <When at={at} />
      {seconds > 0 && ` · +${formatSeconds(seconds)}`}
    </Text>
  );
}

function formatSeconds(seconds: number): string {
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} min ${Math.round(seconds % 60)} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function describe({ event, nonce, maxFeePerGas, maxPriorityFeePerGas, blockNumber }: Entry): ReactNode {
  const bid =
    maxFeePerGas === null
      ? ''
      : `at most ${inGwei(maxFeePerGas)} for a unit of gas${maxPriorityFeePerGas === null ? '' : `, ${inGwei(maxPriorityFeePerGas)} of it for the block`}`;
  switch (event) {
    case 'accepted':
      return 'Stored. From here on it is not lost, whatever stops.';
    case 'sent':
      return [nonce && `Nonce ${nonce}`, bid].filter(Boolean).join(', ') || 'Signed and given to the chain.';
    case 'bid_raised':
      return [nonce && `Nonce ${nonce} again`, bid].filter(Boolean).join(', ');
    case 'requeued':
      return `${nonce ? `The transaction with nonce ${nonce}` : 'Its transaction'} did not bring it about: it goes again.`;
    case 'mined':
      return blockNumber === null ? 'In a block.' : `In block ${groupDigits(blockNumber)}.`;
    case 'confirmed':
      return 'It has its effect.';
    case 'final':
      return 'No reorg of the usual depth can take it back.';
    case 'failed':
      return 'It had no effect. Its quota or credits are given back.';
    case 'cancelled':
      return 'Withdrawn before it was sent. Its quota or credits are given back.';
  }
}

/** Rounded: the transaction has the exact wei. */
const inGwei = (wei: string): string =>
  `${(Number(wei) / WEI_PER_GWEI).toLocaleString('en', { maximumSignificantDigits: 4 })} gwei`;
