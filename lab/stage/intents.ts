import { setTimeout as sleep } from 'node:timers/promises';
import type { paths } from '../../generated/api.ts';
import type { TestAccount } from './service.ts';

export type ShownIntent = paths['/intents/{id}']['get']['responses'][200]['content']['application/json'];

/** Polls an intent until it has one of these statuses. @throws Error after five minutes, with its last state. */
export async function waitForStatus(
  { api }: Pick<TestAccount, 'api'>,
  id: string,
  ...statuses: ShownIntent['status'][]
): Promise<ShownIntent> {
  let seen: ShownIntent | undefined;
  for (let look = 0; look < 6_000; look += 1) {
    seen = (await api.GET('/intents/{id}', { params: { path: { id } } })).data;
    if (seen && statuses.includes(seen.status)) return seen;
    await sleep(50);
  }
  throw new Error(`intent ${id} is ${JSON.stringify(seen)} and not ${statuses.join(' or ')}`);
}
