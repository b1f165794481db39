import { expect, test } from '@jest/globals';
import type { Ask } from '../../src/db/connection.ts';
import { createSeenCommits } from '../../src/engine/startup/seen-commits.ts';

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

/** What a process remembers that has seen nonce 7, and block 100 as final under the second reader. */
function rememberCommits() {
  const seen = createSeenCommits();
  seen.sawNextNonce(SIGNER, 7n);
  seen.sawCursor({ epoch: 2n, final: 100n });
  return seen;
}

test.each([
  ['what was seen', 7n, { epoch: 2n, final: 100n }],
  ['more', 8n, { epoch: 2n, final: 105n }],
  ['a final block that a deep reorg took back, under a later reader', 7n, { epoch: 3n, final: 90n }],
])('a database that has %s is the right one', async (_name, nonce, cursor) => {
  await rememberCommits().look(database(nonce, cursor));
});

test.each([
  ['an earlier nonce', 6n, { epoch: 2n, final: 100n }],
  ['an earlier final block', 7n, { epoch: 2n, final: 99n }],
  ['an earlier reader', 7n, { epoch: 1n, final: 100n }],
])('a database that has %s lacks commits', async (_name, nonce, cursor) => {
  await expect(rememberCommits().look(database(nonce, cursor))).rejects.toThrow(/recover --accept-gap/);
});
