import { expect, test } from '@jest/globals';
import type { Ask } from '../../src/db/connection.ts';
import { createKnownCommits } from '../../src/engine/startup/known-commits.ts';

const SIGNER = `0x${'01'.repeat(20)}` as const;

/** A database with a lane and a reader of the chain, and without intents. */
const database =
  (nonce: bigint, { epoch, final }: { epoch: bigint; final: bigint }): Ask =>
  async <Row extends object>() => [
    {
      ...{ lastNumber: 1n, number: null, id: null, askedId: null },
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
