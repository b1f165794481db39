import { api } from './client.ts';

type Environment = 'live' | 'sandbox';

/**
 * Tokens of the session, one for each environment. Kept in memory alone: a reload asks for others. They end with the
 * session.
 */
const kept = new Map<Environment, Promise<string>>();

async function create(environment: Environment): Promise<string> {
  const { data } = await api.POST('/auth/token', { body: { environment } });
  return data!.token;
}

/** A valid token. @param stale one that was refused, instead of which another one is asked for */
export async function tokenOf(environment: Environment, stale?: string): Promise<string> {
  const current = kept.get(environment);
  if (current) {
    const token = await current.catch(() => undefined);
    if (token !== undefined && token !== stale) return token;
    // Another request may have asked for a new one in the meantime.
    const next = kept.get(environment);
    if (next && next !== current) return next;
  }
  const created = create(environment);
  kept.set(environment, created);
  // A refusal is not kept: the next request tries again.
  created.catch(() => kept.get(environment) === created && kept.delete(environment));
  return created;
}

export function forgetTokens(): void {
  kept.clear();
}
