import { query } from '../../src/db/client.ts';
import type { Db } from '../../src/db/client.ts';
import type { TestAccount, TestService } from './service.ts';

/** Inserts an account that nobody can sign in to, without a service. Returns its id. */
export async function insertAccount(db: Db, email = 'a@example.com'): Promise<string> {
  const [account] = await query<{ id: string }>(
    db,
    `insert into accounts (id, email, password_hash) values (gen_random_uuid(), :email, '-') returning id`,
    { email },
  );
  return account!.id;
}

/** Sets the plan of an account in the database. */
export async function setPlan(
  { service }: TestService,
  { id }: Pick<TestAccount, 'id'>,
  plan: 'BASIC' | 'PRO' | 'PRO_PLUS',
): Promise<void> {
  await query(service.context.db, 'update accounts set plan = :plan where id = :id', { plan, id });
}
