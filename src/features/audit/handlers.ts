import type { Db } from '../../db/client.ts';
import type { Handlers, Schemas } from '../../http/operation.ts';
import { answerPage } from '../../http/page.ts';
import { listOwn } from './store.ts';
import type { AuditRecord } from './store.ts';

/** `/audit`. */
export function auditHandlers({ db }: { db: Db }) {
  return {
    listAudit: ({ principal, query: { action = null, ...query } }) =>
      answerPage(query, {
        read: (page) => listOwn(db, principal.accountId, { action, ...page }),
        positionOf: ({ number }) => number,
        present: presentRecord,
      }),
  } satisfies Partial<Handlers>;
}

function presentRecord({
  number: _number,
  accountId: _accountId,
  createdAt,
  hash,
  ...record
}: AuditRecord): Schemas['AuditEntry'] {
  return { ...record, createdAt: createdAt.toISOString(), hash: hash && hash.slice(2) };
}
