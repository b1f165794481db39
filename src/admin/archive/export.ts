import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { query } from '../../db/client.ts';
import type { Db, Tx } from '../../db/client.ts';
import { findKeyedIntents } from '../../db/idempotency.ts';
import {
  findArchivable,
  findArchivableTransactions,
  readIntentRows,
  readTransactionRows,
} from '../../engine/index.ts';
import { findDeployments } from '../../features/tokens/store.ts';
import { createArchive, intentLine, syncFolder, transactionLine, verifyArchive } from './file.ts';
import type { ArchiveHeader, ArchiveWriter, VerifiedArchive } from './file.ts';
import type { ReachArchivePoint } from './points.ts';

/** Runs `work` in a transaction in which rows become the same JSON, whatever the settings of the session. */
export function withFixedFormat<Result>(db: Db, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  return db.transaction(async (tx) => {
    await query(tx, `select set_config('timezone', 'UTC', true), set_config('bytea_output', 'hex', true)`);
    return work(tx);
  });
}

/** The lines of these intents as they are now, by number. */
export async function readIntentLines(tx: Tx, numbers: readonly bigint[]): Promise<Map<bigint, string>> {
  const intents = await readIntentRows(tx, numbers);
  return new Map(intents.map((intent) => [intent.number, intentLine(intent)]));
}

/**
 * Writes what is finished to a file, has the disk keep it, reads it back and compares. Under its name it is whole, or
 * not there. Returns null when there is nothing to write.
 */
export async function exportFinished(
  db: Db,
  file: string,
  { header, reach }: { header: ArchiveHeader; reach: ReachArchivePoint },
): Promise<VerifiedArchive | null> {
  const unfinished = `${file}.partial`;
  const written = await writeAll(db, unfinished, { header, reach });
  if (written.intents === 0 && written.transactions === 0) {
    await rm(unfinished);
    return null;
  }
  const verified = await verifyArchive(unfinished);
  for (const [name, count] of Object.entries(written)) {
    if (verified[name as keyof typeof written] !== count)
      throw new Error(`${unfinished} does not contain what was written to it: nothing was deleted`);
  }
  reach('written');
  await rename(unfinished, file);
  await syncFolder(path.dirname(file));
  return verified;
}

async function writeAll(
  db: Db,
  file: string,
  { header, reach }: { header: ArchiveHeader; reach: ReachArchivePoint },
) {
  await using archive = await createArchive(file, header);
  const before = new Date(header.before);
  const exported = await writeIntents(db, archive, before);
  reach('half-written');
  await writeTransactions(db, archive, before, exported);
  return await archive.end();
}

async function writeIntents(db: Db, archive: ArchiveWriter, before: Date): Promise<NumberSet> {
  const exported = new NumberSet();
  for (let after: bigint | null = -1n; after !== null;) {
    const { found, last } = await findArchivable(db, { after, before });
    const needed = new Set([...(await findDeployments(db, found)), ...(await findKeyedIntents(db, found))]);
    const numbers = found.filter((number) => !needed.has(number));
    const lines = await withFixedFormat(db, (tx) => readIntentLines(tx, numbers));
    await archive.write([...lines.values()]);
    for (const number of lines.keys()) exported.add(number);
    after = last;
  }
  return exported;
}

/** A transaction goes when nothing that was in it is left. */
async function writeTransactions(
  db: Db,
  archive: ArchiveWriter,
  before: Date,
  exported: NumberSet,
): Promise<void> {
  for (let after: bigint | null = -1n; after !== null;) {
    const { found, last } = await findArchivableTransactions(db, { after, before });
    const ids = found.filter(({ members }) => members.every((number) => exported.has(number)));
    const rows = await withFixedFormat(db, (tx) =>
      readTransactionRows(
        tx,
        ids.map(({ id }) => id),
      ),
    );
    await archive.write(rows.map(transactionLine));
    after = last;
  }
}

const WORD_BITS = 32n;

/** A set of numbers that mostly follow on each other: a bit for each. */
class NumberSet {
  readonly #words = new Map<bigint, number>();

  add(number: bigint): void {
    const word = number / WORD_BITS;
    this.#words.set(word, (this.#words.get(word) ?? 0) | (1 << Number(number % WORD_BITS)));
  }

  has(number: bigint): boolean {
    return ((this.#words.get(number / WORD_BITS) ?? 0) & (1 << Number(number % WORD_BITS))) !== 0;
  }
}
