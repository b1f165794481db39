import { randomUUID } from 'node:crypto';
import { query } from '../../src/db/client.ts';
import { inParallel } from '../load/load.ts';
import { startTestService } from '../stage/service.ts';
import type { Fault } from './outcome.ts';
import { count } from './stage.ts';

const RACERS = 50;
/** Requests at a time: all racers of two codes. */
const WIDTH = 100;

/** Concurrent registrations with the same invite codes. */
export const invites: Fault = async ({ scaled }) => {
  await using mintmark = await startTestService({ LOG_LEVEL: 'silent' });
  const { db, accounts } = mintmark.service.context;
  const codes = Array.from({ length: scaled(100) }, () => randomUUID());
  await accounts.ensureInvites(codes);
  const statuses: Record<number, number> = {};
  const winners = new Map<string, number>(codes.map((code) => [code, 0]));
  await inParallel(codes.length * RACERS, WIDTH, async (index) => {
    const inviteCode = codes[Math.floor(index / RACERS)]!;
    const { response } = await mintmark.anonymous.POST('/v1/auth/register', {
      body: { email: `${randomUUID()}@example.com`, password: 'correct horse battery', inviteCode },
    });
    statuses[response.status] = (statuses[response.status] ?? 0) + 1;
    if (response.status === 201) winners.set(inviteCode, winners.get(inviteCode)! + 1);
  });
  const made = await count(db, 'select count(*) as n from accounts');
  const [used] = await query<{ n: number }>(
    db,
    'select count(*)::int as n from invites where used_by is not null',
  );
  const unfair = [...winners.values()].filter((wins) => wins !== 1).length;
  const ok = made === codes.length && unfair === 0 && used!.n === codes.length;
  return {
    made: `${codes.length} codes, ${RACERS} racers each`,
    judgement: null,
    note: `${made} accounts, ${statuses[422] ?? 0} times 422`,
    flaws: ok ? [] : [`${made} accounts of ${codes.length} codes`],
  };
};
