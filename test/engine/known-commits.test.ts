import { expect, test } from '@jest/globals';
import { askOf, createDb, query } from '../../src/db/client.ts';
import type { Ask } from '../../src/db/connection.ts';
import { createKnownCommits } from '../../src/engine/startup/known-commits.ts';
import { createTestDatabase } from '../setup/database.ts';
import { readsOf } from '../setup/reads.ts';

const SIGNER = `0x${'01'.repeat(20)}` as const;

/** A database with a lane and a reader of the chain, and without intents. */
const database =
  (nonce: bigint, { epoch, final }: { epoch: bigint; final: bigint }): Ask =>
  async <Row extends object>() => [
    {
      ...{ lastNumber: 1n, number: null, id: null, askedId: null },
      ...{ areLost: false, isOtherServer: false },
      ...{ signers: [SIGNER.slice(2)], nonces: [String(nonce)], epoch, final },
    } as Row,
  ];

/** What a process knows that committed nonce 7, and block 100 as final under the second reader. */
function knownCommits() {
  const commits = createKnownCommits();
  commits.noteNextNonce(SIGNER, 7n);
  commits.noteCursor({ epoch: 2n, final: 100n });
  return commits;
}

test.each([
  ['what was seen', 7n, { epoch: 2n, final: 100n }],
  ['more', 8n, { epoch: 2n, final: 105n }],
  ['a final block that a deep reorg took back, under a later reader', 7n, { epoch: 3n, final: 90n }],
])('a database that has %s is the right one', async (_name, nonce, cursor) => {
  await knownCommits().look(database(nonce, cursor));
});

test.each([
  ['an earlier nonce', 6n, { epoch: 2n, final: 100n }],
  ['an earlier final block', 7n, { epoch: 2n, final: 99n }],
  ['an earlier reader', 7n, { epoch: 1n, final: 100n }],
])('a database that has %s lacks commits', async (_name, nonce, cursor) => {
  await expect(knownCommits().look(database(nonce, cursor))).rejects.toThrow(/recover --accept-gap/);
});

test('an intent of the sandbox that is gone is no loss, since it may be deleted; a live one is', async () => {
  const commits = knownCommits();
  const mark = { epoch: 2n, final: 100n };
  commits.noteIntent({ number: 9n, id: 'sandboxed', environment: 'sandbox' });
  await commits.look(database(7n, mark));
  commits.noteIntent({ number: 8n, id: 'lasting', environment: 'live' });
  await expect(commits.look(database(7n, mark))).rejects.toThrow(/recover --accept-gap/);
});

test('the newest live intent is found, whatever the sandbox wrote since, without reading that', async () => {
  await using database = await createTestDatabase();
  await using db = createDb(database.url, 1);
  await query(
    db,
    `with a as (insert into accounts (id, email, password_hash) values (gen_random_uuid(), 'a@b.c', '-') returning id)
     insert into intents (id, account_id, environment, kind, contract, status, final_at)
     select gen_random_uuid(), a.id, case n when 0 then 'live' else 'sandbox' end, 'mint', decode(repeat('0a', 20), 'hex'),
            'confirmed', now()
       from a, generate_series(0, 5000) n order by n`,
  );
  const commits = createKnownCommits();
  await db.transaction(async (tx) => {
    await commits.look(askOf(tx));
    expect(await readsOf(tx, 'intents')).toBeLessThan(100);
  });
  await query(db, `delete from intents where environment = 'live'`);
  await expect(commits.look(askOf(db))).rejects.toThrow(/recover --accept-gap/);
});
