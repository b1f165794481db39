import type { Db, Tx } from '../../db/client.ts';
import { readRefusedWrite } from '../../db/refused-write.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { quarantineIntent } from '../store/quarantine.ts';

/** Writes the verdicts on those intents that are meant. */
type WriteVerdicts = (tx: Tx, isMeant: (number: bigint) => boolean) => Promise<void>;

/**
 * Writes verdicts on intents: all of them at once, or, once the database has refused that, in parts.
 * @param find which intents they may be on; only asked for the parts
 */
export type Judge = (tx: Tx, find: () => Promise<readonly bigint[]>, write: WriteVerdicts) => Promise<void>;

/**
 * Runs `work` in one database transaction. When the database refuses it, `work` is run again with its verdicts bisected:
 * those that are refused alone are left out, and their intents quarantined. An error of another kind is thrown.
 */
export async function withQuarantine<Result>(
  { db, log }: { db: Db; log: Logger },
  work: (tx: Tx, judge: Judge) => Promise<Result>,
): Promise<Result> {
  try {
    return await db.transaction((tx) => work(tx, judgeAtOnce));
  } catch (error) {
    const refusal = readRefusedWrite(error);
    if (refusal === null) throw error;
    log.warn({ error: refusal }, 'the database refuses verdicts, which are written one by one');
    return db.transaction((tx) => work(tx, judgeInParts(log)));
  }
}

const judgeAtOnce: Judge = (tx, _find, write) => write(tx, () => true);

function judgeInParts(log: Logger): Judge {
  return async (tx, find, write) => {
    // In their order, so that what depends on an earlier intent of its contract finds that one judged.
    const all = [...new Set(await find())].sort((a, b) => Number(a - b));
    const judge = async (numbers: readonly bigint[]): Promise<void> => {
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
        await judge(numbers.slice(0, half));
        await judge(numbers.slice(half));
      }
    };
    await judge(all);
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
