import type { Row } from './name-rows.ts';

/** What this browser knows of a row that was sent. */
export interface Outcome {
  /** Of the row, see `nameRows`. */
  name: string;
  /** Of the collection, in small letters, as the recipient. */
  address: string;
  to: string;
  /** Sent: nobody has heard yet what became of it. */
  status: 'sent' | 'minted' | 'failed';
  /** Of the last sending, or of the next one after a failure. */
  attempt: number;
  tokenId: string | null;
  /** When it was sent, in ms. */
  at: number;
}

/** A row to be minted, and the attempt of its key. */
export interface OpenRow {
  row: Row;
  attempt: number;
}

export interface Plan {
  /** Minted before: they are left out. */
  minted: { row: Row; tokenId: string | null }[];
  /**
   * May be minted before, without that this browser or the service knows of which row: they are left out unless it is
   * meant.
   */
  doubtful: OpenRow[];
  open: OpenRow[];
}

/** The service knows a key for 24 hours after the verdict; one hour is left for clocks that differ. */
const KNOWN_MS = 23 * 3_600_000;

/**
 * Divides a list by what is known of its rows. Three things tell that a row was minted: what this browser keeps of each
 * row, for ever; the service, which answers the key of a row for 24 hours after its verdict whoever asks; and after
 * that, and from another browser, the NFTs of the collection, whose recipients the service lists for ever.
 * @param outcomes of this collection, in this browser
 * @param received how many NFTs of the collection each account was sent, by its address in small letters
 * @param now in ms
 */
export function planList(
  rows: readonly Row[],
  outcomes: readonly Outcome[],
  received: ReadonlyMap<string, number>,
  now: number,
): Plan {
  const known = new Map(outcomes.map((outcome) => [outcome.name, outcome]));
  const unexplained = new Map(received);
  for (const { to, status } of outcomes)
    if (status !== 'failed') unexplained.set(to, (unexplained.get(to) ?? 0) - 1);
  const plan: Plan = { minted: [], doubtful: [], open: [] };
  for (const row of rows) {
    const outcome = known.get(row.name);
    const to = row.item.to.toLowerCase();
    const attempt = outcome?.attempt ?? 0;
    if (outcome?.status === 'minted') plan.minted.push({ row, tokenId: outcome.tokenId });
    else if (outcome?.status === 'sent')
      (now - outcome.at < KNOWN_MS ? plan.open : plan.doubtful).push({ row, attempt });
    else if ((unexplained.get(to) ?? 0) > 0) {
      unexplained.set(to, unexplained.get(to)! - 1);
      plan.doubtful.push({ row, attempt });
    } else plan.open.push({ row, attempt });
  }
  return plan;
}
