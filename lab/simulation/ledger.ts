import { LEDGER_ERRORS } from '../faults/books.ts';
import type { Violation } from '../judge/case.ts';
import type { PostgresServer } from './postgres.ts';

/** Whether the books of a server do not add up. */
export async function findLedgerErrors(postgres: PostgresServer): Promise<Violation[]> {
  const [row] = await postgres.ask<{ errors: number }>(LEDGER_ERRORS);
  const { errors } = row!;
  return errors === 0 ? [] : [{ rule: 'ledger', subject: 'books', detail: `${errors} errors` }];
}
