import type { Db } from '../../db/client.ts';
import { ARCHIVE_PAGE, deleteIntents, deleteTransactions, readTransactionRows } from '../../engine/index.ts';
import { noteArchived } from '../../features/metering/store.ts';
import { readIntentLines, withFixedFormat } from './export.ts';
import { readArchive, transactionLine } from './file.ts';
import type { ArchiveLine } from './file.ts';
import type { ReachArchivePoint } from './points.ts';

/** What became of the rows of an archive, this time. */
export interface Removed {
  intents: number;
  transactions: number;
  /** Rows that are not what the archive says any more, and stay. */
  changed: number;
}

/**
 * Deletes what an archive contains, and nothing else: each row is compared with its line under a lock. What an earlier
 * process has deleted is passed over, so that this may end anywhere and begin anew.
 */
export async function removeArchived(db: Db, file: string, reach: ReachArchivePoint): Promise<Removed> {
  const removed: Removed = { intents: 0, transactions: 0, changed: 0 };
  for await (const lines of pagesOfLines(file)) {
    const numbers = lines.map(({ number }) => number);
    const isPageOfIntents = lines[0]!.isIntent;
    const { deleted, changed } = await withFixedFormat(db, async (tx) => {
      const now = isPageOfIntents
        ? await readIntentLines(tx, numbers)
        : new Map(
            (await readTransactionRows(tx, numbers)).map((row) => [
              row.number,
              row.isEmpty ? transactionLine(row) : '',
            ]),
          );
      const same = lines.filter(({ number, text }) => now.get(number) === text).map(({ number }) => number);
      if (same.length > 0 && isPageOfIntents) {
        await noteArchived(tx, same);
        await deleteIntents(tx, same);
      } else if (same.length > 0) await deleteTransactions(tx, same);
      return { deleted: same.length, changed: now.size - same.length };
    });
    removed[isPageOfIntents ? 'intents' : 'transactions'] += deleted;
    removed.changed += changed;
    reach('deleted-some');
  }
  return removed;
}

/** Lines of one kind each. */
async function* pagesOfLines(file: string): AsyncGenerator<ArchiveLine[]> {
  let page: ArchiveLine[] = [];
  for await (const line of readArchive(file)) {
    if (page.length === ARCHIVE_PAGE || (page.length > 0 && page[0]!.isIntent !== line.isIntent)) {
      yield page;
      page = [];
    }
    page.push(line);
  }
  if (page.length > 0) yield page;
}
