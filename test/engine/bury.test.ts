import { beforeEach, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { buryLane } from '../../src/engine/index.ts';
import { toBytes } from '../../src/lib/hex.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { insertLane } from '../setup/lanes.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';
import { ENGINE_CONFIG } from './engine-config.ts';

const SIGNER = `0x${'01'.repeat(20)}` as const;
const [FINAL, HEAD] = [`0x${'f1'.repeat(32)}`, `0x${'f2'.repeat(32)}`] as const;
const [NO, YES] = ['0'.padStart(64, '0'), '1'.padStart(64, '0')].map((word): Hex => `0x${word}`);

const { db } = useSuiteDatabase(2);

beforeEach(async () => {
  await db.raw('truncate lanes, transactions cascade');
  await insertLane(db, SIGNER, { isHeld: false });
  await query(
    db,
    'update reader set final_number = 1, final_hash = :final, head_number = 3, head_hash = :head',
    { final: toBytes(FINAL), head: toBytes(HEAD) },
  );
});

test.each<[string, Record<Hex, Hex>, boolean]>([
  ['had its role in the last final block', { [FINAL]: YES!, [HEAD]: NO! }, false],
  ['has its role of an Operator that is newer than that', { [FINAL]: '0x', [HEAD]: YES! }, false],
  ['has it nowhere', { [FINAL]: NO!, [HEAD]: NO! }, true],
])('a signer that %s: whether it is buried', async (_name, answers, isBuried) => {
  const rpc = {
    call: async <Result>(_method: string, [, block]: readonly unknown[]): Promise<Result> =>
      answers[(block as { blockHash: Hex }).blockHash] as Result,
    callEach: () => Promise.reject(new Error('not asked')),
  };
  const followUps = { settled: async () => undefined };
  const parts = { db, rpc, log: createLogger('silent'), config: ENGINE_CONFIG, followUps };
  expect((await buryLane(parts, SIGNER)) !== null).toBe(isBuried);
});
