import { query } from '../../src/db/client.ts';
import type { Db } from '../../src/db/client.ts';
import { createSealer } from '../../src/features/audit/seal.ts';
import type { Sealer } from '../../src/features/audit/seal.ts';

/** What a thief with the rights of the database's owner does: the triggers hold no longer. */
export async function tamper(db: Db, text: string): Promise<void> {
  await db.transaction(async (tx) => {
    await query(tx, `set local session_replication_role = replica`);
    await query(tx, text);
  });
}

/** Takes out every entry and every seal, and begins the chain anew. */
export async function emptyAuditLog(db: Db): Promise<void> {
  await tamper(db, 'truncate audit_entries, audit_seals restart identity');
  for (const end of ['audit_head', 'audit_start']) {
    await query(db, `update ${end} set number = 0, hash = decode(repeat('00', 32), 'hex')`);
  }
}

/** Seals until nothing is left that can be sealed. */
export async function sealAll(db: Db, sealer: Sealer = createSealer(db)): Promise<void> {
  while (await sealer.seal());
}
