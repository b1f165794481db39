import { hostname, userInfo } from 'node:os';
import type { Command } from 'commander';
import { recordAudit } from '../db/audit.ts';
import { verifyAudit } from '../features/audit/verify.ts';
import { listAll } from '../features/audit/store.ts';
import type { AdminContext } from './open.ts';
import { list, table, toJson } from './report.ts';
import type { Report } from './report.ts';

/** The end of a chain, as `audit verify` and the log of an engine show it. */
export interface NotedHead {
  number: bigint;
  /** Hexadecimal. */
  hash: string;
}

/** Shows the newest entries. */
export async function listAudit({ db }: AdminContext, limit: number): Promise<Report> {
  const records = await listAll(db, { before: null, limit });
  return {
    json: records.map(({ hash, ...record }) => ({ ...record, hash: hash && hash.slice(2) })),
    text: table(
      ['entry', 'when', 'who', 'what', 'account', 'credential', 'from', 'intent', 'details'],
      records.map((record) => [
        record.number,
        record.createdAt,
        record.actor,
        record.action,
        record.accountId,
        record.credentialId,
        record.address,
        record.intentId,
        JSON.stringify(record.details),
      ]),
      'The audit log is empty.',
    ),
  };
}

/** Computes the chain of hashes again. @throws Error with the faults when something was changed */
export async function verifyAuditLog({ db }: AdminContext, expected: NotedHead | null): Promise<Report> {
  const noted = expected && { number: expected.number, hash: `0x${expected.hash}` as const };
  const { sealed, closedUpTo, unsealed, head, faults } = await verifyAudit(db, noted);
  if (faults.length > 0) throw new Error(faults.join(' '));
  const end = `${head.number}:${head.hash.slice(2)}`;
  return {
    json: { sealed, closedUpTo, unsealed, head: end },
    text: `${list([
      ['entries that fit', sealed],
      ['closed up to entry', closedUpTo || null],
      ['not sealed yet', unsealed],
      ['end of the chain', end],
    ])}\nKeep the last line elsewhere: "audit verify --expect" finds out whether the chain was made anew.`,
  };
}

/** Appends a command of the operator to the audit log, before it is run: it may end halfway. */
export function recordCommand(
  { db }: AdminContext,
  command: Command,
  args: readonly unknown[],
): Promise<void> {
  const given = JSON.parse(toJson(args)) as unknown;
  const details = { command: nameOf(command), arguments: given, user: nameOfUser(), host: hostname() };
  return recordAudit(db, [
    { action: 'admin_command', actor: 'operator', accountId: null, origin: null, details },
  ]);
}

/** A container may run as a user that its /etc/passwd does not know. */
function nameOfUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}

/** Its words on the command line, without those of the program. */
function nameOf(command: Command): string {
  const words: string[] = [];
  for (let each: Command | null = command; each?.parent; each = each.parent) words.unshift(each.name());
  return words.join(' ');
}
