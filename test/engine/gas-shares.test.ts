import { beforeEach, expect, test } from '@jest/globals';
import { RpcRefused, RpcUnreachable } from '../../src/chain/rpc/rpc.ts';
import { createGasShares } from '../../src/engine/verdict/receipts.ts';
import { writeAsking } from '../../src/engine/verdict/asking.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';
import { ENGINE_CONFIG } from './engine-config.ts';

const HASH = `0x${'11'.repeat(32)}` as const;

const { db } = useSuiteDatabase(1);
let answer: () => unknown;

/** The share of a call that the database knows nothing of. */
function readShare(): Promise<number> {
  const rpc = { call: async <Result>(): Promise<Result> => answer() as Result };
  const shares = createGasShares({ db, rpc, config: ENGINE_CONFIG });
  return writeAsking(async () => {
    const share = shares.shareOf(HASH, 1n);
    shares.check();
    return share;
  });
}

const refuse = (kind: 'limited' | 'unavailable') => () => {
  throw new RpcRefused(kind, 'no', undefined, undefined);
};

let estimate: number;
beforeEach(async () => {
  answer = () => null;
  estimate = await readShare();
});

test('a receipt that no endpoint shows any more leaves the share to an estimate, as one that is not there', async () => {
  answer = refuse('unavailable');
  expect(await readShare()).toBe(estimate);
});

test.each<[string, () => unknown, RegExp]>([
  ['endpoints take no more calls for a time', refuse('limited'), /no/],
  [
    'none answers',
    () => {
      throw new RpcUnreachable('out of reach');
    },
    /out of reach/,
  ],
  [
    'this service errs',
    () => {
      throw new TypeError('a mistake');
    },
    /a mistake/,
  ],
])(
  'while %s, nothing is said of a receipt, and nothing is charged by an estimate',
  async (_name, fails, error) => {
    answer = fails;
    await expect(readShare()).rejects.toThrow(error);
  },
);
