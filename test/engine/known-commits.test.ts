import { expect, test } from '@jest/globals';
import { askOf, query } from '../../src/db/client.ts';
import type { Ask } from '../../src/db/connection.ts';
import type { IntentStatus, VerdictChange } from '../../src/engine/index.ts';
import { createKnownCommits } from '../../src/engine/recover/known-commits.ts';
import type { FinalCursor } from '../../src/engine/store/newest-commits.ts';
import { createTestDatabase, openTestDb } from '../../lab/stage/database.ts';
import { readsOf } from '../setup/reads.ts';

const SIGNER = `0x${'01'.repeat(20)}` as const;

const MARK = { term: 2n, final: 100n };

/** A database with a lane and a reader of the chain, and without intents. */
const database =
  (
    nonce: bigint,
    { term, final }: FinalCursor,
    otherStatus: IntentStatus | null = null,
    { archivedUpTo = 0n, losses = 0 }: { archivedUpTo?: bigint; losses?: number } = {},
  ): Ask =>
  async <Row extends object>() => [
    {
      ...{ lastNumber: 1n, number: null, id: null, askedId: null, otherStatus },
      ...{ areLost: false, losses, isOtherServer: false, archivedUpTo },
      ...{ signers: [SIGNER], nonces: [String(nonce)], term, final },
    } as Row,
  ];

/** What a process knows that committed nonce 7, and block 100 as final under the second reader. */
function knownCommits() {
  const commits = createKnownCommits();
  commits.noteNextNonce(SIGNER, 7n);
  commits.noteCursor({ term: 2n, final: 100n });
  return commits;
}

test.each([
  ['what was seen', 7n, { term: 2n, final: 100n }],
  ['more', 8n, { term: 2n, final: 105n }],
  ['a final block that a deep reorg took back, under a later reader', 7n, { term: 3n, final: 90n }],
])('a database that has %s is the right one', async (_name, nonce, cursor) => {
  await knownCommits().look(database(nonce, cursor));
});

test.each([
  ['an earlier nonce', 6n, { term: 2n, final: 100n }],
  ['an earlier final block', 7n, { term: 2n, final: 99n }],
  ['an earlier reader', 7n, { term: 1n, final: 100n }],
])('a database that has %s lacks commits', async (_name, nonce, cursor) => {
  await expect(knownCommits().look(database(nonce, cursor))).rejects.toThrow(/recover --accept-loss/);
});

const verdict = (outcome: VerdictChange['outcome'], environment: 'live' | 'sandbox' = 'live') => [
  { outcome, intent: { number: 9n, environment } },
];

test('a loss that a person has accepted lets a process forget what it knew, and remember what is there', async () => {
  const commits = knownCommits();
  await commits.look(database(8n, MARK));
  commits.noteVerdicts(verdict('failed'));
  await commits.look(database(5n, { term: 2n, final: 90n }, 'queued', { losses: 1 }));
  await commits.look(database(5n, { term: 2n, final: 90n }, 'queued', { losses: 1 }));
  await expect(commits.look(database(4n, { term: 2n, final: 90n }, null, { losses: 1 }))).rejects.toThrow(
    /recover --accept-loss/,
  );
});

test('a database in which fewer losses were accepted than before lacks commits', async () => {
  const commits = knownCommits();
  await commits.look(database(7n, MARK, null, { losses: 2 }));
  await expect(commits.look(database(7n, MARK, null, { losses: 1 }))).rejects.toThrow(
    /recover --accept-loss/,
  );
});

test.each<['cancelled' | 'failed', IntentStatus | null]>([
  ['cancelled', 'queued'],
  ['failed', 'queued'],
  ['failed', 'submitted'],
  ['cancelled', null],
])('a database that has what %s here as %s lacks commits', async (outcome, status) => {
  const commits = knownCommits();
  commits.noteVerdicts(verdict(outcome));
  await expect(commits.look(database(7n, MARK, status))).rejects.toThrow(/recover --accept-loss/);
});

test.each<['cancelled' | 'failed', IntentStatus]>([
  ['cancelled', 'cancelled'],
  ['failed', 'failed'],
  ['failed', 'confirmed'],
])('a database that has what %s here as %s is the right one', async (outcome, status) => {
  const commits = knownCommits();
  commits.noteVerdicts(verdict(outcome));
  await commits.look(database(7n, MARK, status));
});

test('a failure that is still there is looked for each time, and none that the chain refuted, or of the sandbox', async () => {
  const commits = knownCommits();
  commits.noteVerdicts(verdict('failed', 'sandbox'));
  await commits.look(database(7n, MARK, 'queued'));
  commits.noteVerdicts(verdict('failed'));
  await commits.look(database(7n, MARK, 'confirmed'));
  await commits.look(database(7n, MARK, 'queued'));
  commits.noteVerdicts(verdict('failed'));
  commits.noteVerdicts(verdict('reopened'));
  await commits.look(database(7n, MARK, 'queued'));
  commits.noteVerdicts(verdict('failed'));
  await commits.look(database(7n, MARK, 'failed'));
  await expect(commits.look(database(7n, MARK, 'queued'))).rejects.toThrow(/recover --accept-loss/);
});

test('an intent of the sandbox that is gone is no loss, since it may be deleted; a live one is', async () => {
  const commits = knownCommits();
  const mark = { term: 2n, final: 100n };
  commits.noteIntent({ number: 9n, id: 'sandboxed', environment: 'sandbox' });
  await commits.look(database(7n, mark));
  commits.noteIntent({ number: 8n, id: 'lasting', environment: 'live' });
  await expect(commits.look(database(7n, mark))).rejects.toThrow(/recover --accept-loss/);
});

test('the newest live intent is found, whatever the sandbox wrote since, without reading that', async () => {
  await using database = await createTestDatabase();
  await using db = openTestDb(database.url, 1);
  await query(
    db,
    `with a as (insert into accounts (id, email, password_hash) values (gen_random_uuid(), 'a@b.c', '-') returning id)
     insert into intents (id, account_id, environment, kind, contract, status, final_at)
     select gen_random_uuid(), a.id, case n when 0 then 'live' else 'sandbox' end, 'mint', decode(repeat('0a', 20), 'hex'),
            'confirmed', now()
       from a, generate_series(0, 5000) n order by n`,
  );
  const commits = createKnownCommits();
  const reads = db.transaction((tx) => readsOf(tx, 'intents', () => commits.look(askOf(tx))));
  expect(await reads).toBeLessThan(100);
  await query(db, `delete from intents where environment = 'live'`);
  await expect(commits.look(askOf(db))).rejects.toThrow(/recover --accept-loss/);
});

test.each(['failed', 'cancelled'] as const)(
  'what %s here and was archived is not lost; what has a larger number than the archive is',
  async (outcome) => {
    const commits = knownCommits();
    commits.noteVerdicts(verdict(outcome));
    await commits.look(database(7n, MARK, null, { archivedUpTo: 9n }));
    commits.noteVerdicts(verdict(outcome));
    await expect(commits.look(database(7n, MARK, 'queued', { archivedUpTo: 9n }))).rejects.toThrow(
      /recover --accept-loss/,
    );
    await expect(commits.look(database(7n, MARK, null, { archivedUpTo: 8n }))).rejects.toThrow(
      /recover --accept-loss/,
    );
  },
);

test('an accepted intent that was archived is not lost; another one under its number is', async () => {
  const commits = knownCommits();
  commits.noteIntent({ number: 5n, id: 'mine', environment: 'live' });
  await commits.look(database(7n, MARK, null, { archivedUpTo: 5n }));
  await expect(commits.look(database(7n, MARK, null, { archivedUpTo: 4n }))).rejects.toThrow(
    /recover --accept-loss/,
  );
});
