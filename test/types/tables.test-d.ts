import type { Db } from '../../src/db/client.ts';
import { table } from '../../src/db/table.ts';
import type { Columns } from '../../src/db/table.ts';
import type { Hex } from '../../src/lib/hex.ts';

/* Nothing here runs: `tsc` is the test that a statement over a column which is gone does not compile. */

declare const db: Db;
const accounts = table(db, 'accounts');

export const read: PromiseLike<{ id: string; suspended_at: Date | null }[]> = accounts.select(
  'id',
  'suspended_at',
);

interface Shown {
  id: string;
  environment: 'live' | 'sandbox';
  createdAt: Date;
}
export const columns: Columns<'credentials', Shown> = {
  id: 'id',
  environment: 'environment',
  createdAt: 'created_at',
};
export const shown: PromiseLike<Shown[]> = table(db, 'credentials').select<Shown>(columns);
export const changed: PromiseLike<number> = accounts
  .where({ id: '' })
  .update({ plan: 'PRO', suspended_at: null });
export const bytes: PromiseLike<{ code_hash: Hex }[]> = table(db, 'invites').select('code_hash');
export const inserted = accounts.insert({ id: '', email: '', password_hash: '' }).returning(['created_at']);

// @ts-expect-error there is no such table
table(db, 'accountz');
// @ts-expect-error there is no such column to read
void accounts.select('e_mail');
// @ts-expect-error nor to answer with
void accounts.delete().returning(['e_mail']);
// @ts-expect-error nor behind a field
export const renamed: Columns<'credentials', Shown> = { ...columns, createdAt: 'made_at' };
// @ts-expect-error a column of another type is not behind it either
export const mistyped: Columns<'credentials', Shown> = { ...columns, createdAt: 'number' };
// @ts-expect-error nor to search by
void accounts.where({ e_mail: '' });
// @ts-expect-error nor to compare
void accounts.where('e_mail', '<', '');
// @ts-expect-error nor of this type
void accounts.where({ created_at: '' });
// @ts-expect-error nor to order by
void accounts.orderBy('e_mail');
// @ts-expect-error nor to write
void accounts.update({ e_mail: '' });
// @ts-expect-error a constraint knows the plans
void accounts.update({ plan: 'FREE' });
// @ts-expect-error bytes are bound as a Buffer: PostgreSQL would take the text for the bytes of its letters
void accounts.update({ wallet_address: '0x00' });
// @ts-expect-error an account has an e-mail
void accounts.insert({ id: '', password_hash: '' });
// @ts-expect-error the database gives the number
void table(db, 'credentials').update({ number: 1n });
