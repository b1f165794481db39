import { query } from '../../src/db/client.ts';
import type { TestAccount, TestService } from './service.ts';

/** Sets the plan of an account in the database. */
export async function setPlan(
  { service }: TestService,
  { id }: Pick<TestAccount, 'id'>,
  plan: 'BASIC' | 'PRO' | 'PRO_PLUS',
): Promise<void> {
  await query(service.context.db, 'update accounts set plan = :plan where id = :id', { plan, id });
}
