import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';

/**
 * What an audit of the engine broke, and the tests that show each: a file and a title of it. A rename renames here,
 * too.
 */
const BROKEN: [what: string, ...tests: [file: string, title: string][]][] = [
  [
    'a backend stays on a fork, and shows a receipt of an orphaned block',
    ['test/faults/rows.test.ts', 'stale fork (success)'],
    ['test/faults/rows.test.ts', 'stale fork (failure)'],
  ],
  [
    'a view lags while an account is frozen and unfrozen',
    ['test/faults/rows.test.ts', 'lagging reads'],
    [
      'test/engine/control-after-reorg.test.ts',
      'a control that undoes another one is sent, though a reorg took that one back unnoticed',
    ],
  ],
  [
    'a reorg one deeper than CONFIRMATIONS',
    ['test/engine/deep-reorg.test.ts', 'of %d times the finality: what it took away is done again, once'],
    ['test/engine/deep-reorg.test.ts', 'goes on after a restart'],
    [
      'test/engine/deep-reorg.test.ts',
      'waits for a person, and goes on after the command that every refusal names',
    ],
  ],
  [
    'one count of transactions that is too high',
    ['test/faults/rows.test.ts', 'wrong nonce counts'],
    [
      'test/engine/freed-nonces.test.ts',
      'a next nonce that is too high blocks nothing for good: the gap is filled, in parts if need be',
    ],
  ],
  [
    'nodes take no transaction that costs more than 1 ether, and the largest gas',
    [
      'test/engine/fees.test.ts',
      'make no transaction dearer than nodes let it be (1 ether), and divide what would be',
    ],
    [
      'test/engine/unaffordable.test.ts',
      'a call for which nodes take no bid that a block takes waits alone, and goes when the fee has fallen',
    ],
  ],
  [
    'a failover to a replica that lost commits',
    [
      'test/engine/lossy-failover.test.ts',
      'after a failover that lost commits a running service answers nothing until the loss is accepted',
    ],
    ['test/engine/lane-lease.test.ts', 'a lane of which nothing is stored, twice in a row, is lost'],
  ],
  [
    'connections to the database go silent',
    [
      'test/start/silent-database.test.ts',
      'connections that went silent under a service are replaced, and it goes on',
    ],
    [
      'test/start/silent-database.test.ts',
      'SIGTERM ends a service within 20 seconds while its database is silent',
    ],
  ],
  [
    'a key is lost with an open nonce',
    [
      'test/admin/bury.test.ts',
      'a lost key is given up: another signer sends what it sent and was not mined, and it happens once',
    ],
  ],
  ['"transaction indexing is in progress"', ['test/faults/rows.test.ts', 'indexing node']],
  [
    'a signer without funds beside others',
    [
      'test/engine/lane-without-funds.test.ts',
      'lanes whose signers have no funds keep no deployment from the others',
    ],
    ['test/engine/sender.test.ts', 'leaves that to another one when its signer %s'],
  ],
  [
    'the wall clock goes back by an hour',
    ['test/faults/rows.test.ts', 'wall clock'],
    ['test/chain/rpc-failover.test.ts', 'a wall clock that is set back or forward changes nothing'],
  ],
  [
    'more than 500 accounts; 20 heavy mints of one',
    [
      'test/engine/fair-accounts.test.ts',
      '700 active accounts are served in turn, whatever one of them has queued',
    ],
    [
      'test/engine/fair-by-gas.test.ts',
      'heavy mints of one account delay the light mint of another by two blocks at the most',
    ],
  ],
  ['CONFIRMATIONS beyond what a node keeps of states', ['test/faults/rows.test.ts', 'pruned node']],
  [
    'base fee 0 and tip 0',
    ['test/engine/fee-models.test.ts', 'where gas costs nothing, a signer without money deploys and mints'],
  ],
  ['1,000,000 queued intents', ['test/engine/queue.test.ts', 'what a look reads']],
  [
    '30 transactions in flight',
    [
      'test/faults/rows.test.ts',
      'what is read of the chain grows with blocks, not with transactions in flight',
    ],
  ],
  [
    '"batch too large"',
    ['test/chain/rpc-batches.test.ts', 'gets it in smaller ones, and each call its own answer'],
    ['test/chain/rpc-batches.test.ts', 'gets single calls when it takes no batches'],
  ],
  [
    'Arbitrum and the OP stack take gas or fees for data on L1',
    [
      'test/engine/fee-models.test.ts',
      "the OP stack's fee for L1 data is part of what the signer must be able to pay",
    ],
    ['test/engine/fee-models.test.ts', "Arbitrum's gas for L1 data is part of the gas limit"],
  ],
  [
    "the executor's role is revoked",
    [
      'test/engine/paused-lanes.test.ts',
      'without the executor role the lane is paused, and goes on when it is granted again',
    ],
  ],
  [
    "a block's gas limit falls below that of an open nonce",
    [
      'test/engine/freed-nonces.test.ts',
      'transactions that fit into no block any more give their nonces up, and their calls are sent again, in order',
    ],
  ],
  [
    'a restored backup where old logs are refused',
    ['test/admin/commands.test.ts', 'confirms what the Operator has done and whose event no endpoint shows'],
  ],
];

const read = (file: string): string => readFileSync(path.join(import.meta.dirname, '..', file), 'utf8');

test.each(BROKEN.flatMap(([what, ...tests]) => tests.map(([file, title]) => ({ what, file, title }))))(
  '$what: $file has "$title"',
  ({ file, title }) => {
    const source = read(file);
    expect(["'", '"', '`'].some((quote) => source.includes(`${quote}${title}${quote}`))).toBe(true);
  },
);
