import type { Db, Tx } from '../../db/client.ts';
import { retryOnDeadlock } from '../../db/deadlock.ts';
import { readRefusedWrite } from '../../db/refused-write.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { quarantineIntent } from '../store/quarantine.ts';

/** Writes the verdicts on those intents that are meant. */
type WriteVerdicts = (tx: Tx, isMeant: (number: bigint) => boolean) => Promise<void>;

/**
 * Settles intents: all of them at once, or, once the database has refused that, in parts.
 * @param find which intents they may be on; only asked for the parts
 */
export type Settle = (tx: Tx, find: () => Promise<readonly bigint[]>, write: WriteVerdicts) => Promise<void>;

/**
 * Runs `work` in one database transaction. When the database refuses it, `work` is run again with its verdicts bisected:
 * those that are refused alone are left out, and their intents quarantined. An error of another kind is thrown.
 */
export async function withQuarantine<Result>(
  { db, log }: { db: Db; log: Logger },
  work: (tx: Tx, settle: Settle) => Promise<Result>,
): Promise<Result> {
  // Requests lock balances before intents, and verdicts the other way round.
  const write = (settle: Settle): Promise<Result> =>
    retryOnDeadlock(() => db.transaction((tx) => work(tx, settle)));
  try {
    return await write(settleAtOnce);
  } catch (error) {
    const refusal = readRefusedWrite(error);
    if (refusal === null) throw error;
    log.warn({ error: refusal }, 'the database refuses verdicts, which are written one by one');
    return write(settleInParts(log));
  }
}

const settleAtOnce: Settle = (tx, _find, write) => write(tx, () => true);

function settleInParts(log: Logger): Settle {
  return async (tx, find, write) => {
    // In their order, so that what depends on an earlier intent of its contract finds that one settled.
    const all = [...new Set(await find())].sort((a, b) => Number(a - b));
    const settle = async (numbers: readonly bigint[]): Promise<void> => {
      if (numbers.length === 0) return;
      const meant = new Set(numbers);
      try {
        // A savepoint: what is refused leaves no trace.
        await tx.transaction((part) => write(part, (number) => meant.has(number)));
      } catch (error) {
        const refusal = readRefusedWrite(error);
        if (refusal === null) throw error;
        if (numbers.length === 1) return quarantine(tx, log, numbers[0]!, refusal);
        const half = Math.ceil(numbers.length / 2);
        await settle(numbers.slice(0, half));
        await settle(numbers.slice(half));
      }
    };
    await settle(all);
  };
}

async function quarantine(tx: Tx, log: Logger, number: bigint, refusal: string): Promise<void> {
  const id = await quarantineIntent(tx, number, refusal);
  log.error(
    { intent: id ?? null, number: String(number), error: refusal },
    id === undefined
      ? 'the database refuses another verdict on an intent that has one'
      : 'the database refuses the verdict on an intent, which is quarantined: see "intents quarantined"',
  );
}
