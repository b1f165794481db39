import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { query } from '../../src/db/client.ts';
import type { Db } from '../../src/db/client.ts';
import { until } from '../setup/until.ts';

/** Every row that may be archived, as JSON, with its table before it. */
export async function readRows(db: Db): Promise<string[]> {
  // Old writes of the sandbox are cleaned up by the service itself, every few minutes.
  const tables = {
    intents: `(select * from intents where environment = 'live')`,
    transactions: 'transactions',
    attempts: 'attempts',
  };
  const rows: string[] = [];
  await db.transaction(async (tx) => {
    await query(tx, `set local timezone = 'UTC'`);
    for (const [table, source] of Object.entries(tables)) {
      const found = await query<{ row: string }>(tx, `select to_jsonb(t)::text as row from ${source} t`);
      rows.push(...found.map(({ row }) => `${table} ${canonical(JSON.parse(row) as object)}`));
    }
  });
  return rows.sort();
}

const canonical = (row: object): string =>
  JSON.stringify(Object.entries(row).sort(([one], [other]) => (one < other ? -1 : 1)));

export interface ArchiveLine {
  intent?: { number: number; id: string };
  transaction?: Record<string, unknown>;
  attempts?: Record<string, unknown>[];
}

export const readLines = (file: string): ArchiveLine[] =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as ArchiveLine);

/** The same of a file. */
export function readArchivedRows(file: string): string[] {
  return readLines(file)
    .flatMap(({ intent, transaction, attempts = [] }) => [
      ...(intent ? [`intents ${canonical(intent)}`] : []),
      ...(transaction ? [`transactions ${canonical(transaction)}`] : []),
      ...attempts.map((row) => `attempts ${canonical(row)}`),
    ])
    .sort();
}

/** Makes the end of an archive anew, so that it fits what stands before it. */
export function forge(text: string): string {
  const lines = text.trimEnd().split('\n');
  const { end } = JSON.parse(lines.pop()!) as { end: object };
  const before = `${lines.join('\n')}\n`;
  const hash = createHash('sha256').update(before).digest('hex');
  return `${before}${JSON.stringify({ end: { ...end, sha256: hash } })}\n`;
}

const DAY_MS = 86_400_000;
/** The same day for all of a suite, should it run past midnight. */
const NOW = Date.now();
/** The beginning of a day so many days ago, UTC. */
export const dayAgo = (days: number): string => new Date(NOW - days * DAY_MS).toISOString().slice(0, 10);

/** Lets what was finished of late have been so for some days more, once nothing of it changes any more. */
export async function age(db: Db, days: number): Promise<void> {
  await waitForFees(db);
  const earlier = (column: string): string => `${column} = ${column} - ${days} * interval '1 day'`;
  await db.transaction(async (tx) => {
    const aged = await query<{ number: string }>(
      tx,
      `select number::text from intents where final_at > now() - interval '20 days'`,
    );
    const bindings = { numbers: aged.map(({ number }) => number) };
    // What they have committed is of the period in which they were accepted, so it moves with them.
    const committed = `select account_id, meter, period, sum(committed)::bigint as committed
                         from ledger where intent_number = any(:numbers::bigint[]) group by 1, 2, 3`;
    await query(
      tx,
      `update balances b set committed = b.committed - c.committed from (${committed}) c
        where b.account_id = c.account_id and b.meter = c.meter and b.period = c.period`,
      bindings,
    );
    await query(
      tx,
      `update intents set ${earlier('created_at')}, ${earlier('updated_at')}, ${earlier('final_at')}
        where number = any(:numbers::bigint[])`,
      bindings,
    );
    await query(
      tx,
      `insert into balances as b (account_id, meter, period, granted, committed)
       select account_id, meter, period, case meter when 'gas' then 0 else committed end, committed from (${committed}) c
           on conflict (account_id, meter, period) do update
              set granted = b.granted + excluded.granted, committed = b.committed + excluded.committed`,
      bindings,
    );
  });
  await query(
    db,
    `update transactions set ${earlier('created_at')} where status = 'final' and created_at > now() - interval '20 days'`,
  );
}

/** Waits until what every new transaction has cost is stored: the last change of its row. */
export async function waitForFees(db: Db): Promise<void> {
  await until(async () => {
    const open = await query(
      db,
      `select 1 from transactions where (fee is null or status <> 'final') and created_at > now() - interval '1 day'`,
    );
    return open.length === 0;
  });
}

/** Of a file, as `sha256sum` prints it. */
export const sha256 = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');
