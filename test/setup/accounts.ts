import { query } from '../../src/db/client.ts';
import type { TestAccount, TestService } from './service.ts';

/** Puts an account on a plan, as nobody but the database can. */
export async function setPlan(
  { service }: TestService,
  { id }: Pick<TestAccount, 'id'>,
  plan: 'BASIC' | 'PRO' | 'PRO_PLUS',
): Promise<void> {
  await query(service.context.db, 'update accounts set plan = :plan where id = :id', { plan, id });
}
