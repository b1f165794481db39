import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createRpc } from '../../src/chain/rpc/rpc.ts';
import type { Db } from '../../src/db/client.ts';
import { createDb, query } from '../../src/db/client.ts';
import { checkChainIdentity } from '../../src/engine/index.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { createTestDatabase } from '../setup/database.ts';
import type { TestDatabase } from '../setup/database.ts';
import { answerEach, startScriptedNode } from '../setup/scripted-node.ts';

const GENESIS = `0x${'aa'.repeat(32)}`;
const BLOCK_7 = `0x${'77'.repeat(32)}`;
const OTHER = `0x${'ee'.repeat(32)}`;
const OPERATOR = `0x${'0a'.repeat(20)}` as const;

let database: TestDatabase;
let db: Db;

beforeEach(async () => {
  database = await createTestDatabase();
  db = createDb(database.url, 2);
});

afterEach(async () => {
  await db.destroy();
  await database.drop();
});

interface Chain {
  chainId?: bigint;
  operator?: Hex;
  /** Hashes by number. */
  blocks?: Record<string, string>;
}

/** Starts on a chain, as far as this check goes. */
async function check({ chainId = 5n, operator = OPERATOR, blocks = { '0x0': GENESIS } }: Chain = {}) {
  await using node = await startScriptedNode(
    answerEach(({ method, params: [number] }) => {
      const hash = method === 'eth_getBlockByNumber' ? blocks[String(number)] : undefined;
      return { result: hash === undefined ? null : { number, hash } };
    }),
  );
  const rpc = createRpc([node.url]);
  try {
    await checkChainIdentity(db, rpc, chainId, operator);
  } finally {
    rpc.close();
  }
}

test('a database belongs to the chain of its first start', async () => {
  await check();
  await check();
});

test('a database of another chain id is refused', async () => {
  await check();
  await expect(check({ chainId: 6n })).rejects.toThrow(/belongs to chain 5, but RPC_URL is chain 6/);
});

test('a database of a chain with the same id and another genesis block is refused', async () => {
  await check();
  await expect(check({ blocks: { '0x0': OTHER } })).rejects.toThrow(/genesis block .* is not the same/);
});

test('a database of another Operator is refused', async () => {
  await check();
  const operator = `0x${'0b'.repeat(20)}` as const;
  await expect(check({ operator })).rejects.toThrow(
    `The database belongs to the Operator ${OPERATOR}, but OPERATOR_ADMIN makes it ${operator}`,
  );
  await check();
});

test('a chain without a genesis block is refused, and ties nothing', async () => {
  await expect(check({ blocks: {} })).rejects.toThrow(/without a genesis block/);
  await check({ chainId: 6n });
});

test('a chain that lacks the last final block is refused: it was reset', async () => {
  await check();
  const signer = Buffer.alloc(20, 1);
  await query(db, 'insert into lanes (signer, next_nonce) values (:signer, 2)', { signer });
  const insert = `insert into transactions (signer, nonce, gas_limit, operator, epoch, calldata, status, mined_hash, block_number, block_hash, gas_used)
    values (:signer, :nonce, 21000, :signer, 1, '\\x00', 'final', :hash, :number, :blockHash, 21000)`;
  const blockHash = Buffer.from(BLOCK_7.slice(2), 'hex');
  for (const [nonce, number] of [
    [0, 6],
    [1, 7],
  ] as const)
    await query(db, insert, {
      signer,
      nonce,
      number,
      blockHash,
      hash: Buffer.from(randomUUID().replaceAll('-', '').repeat(2), 'hex'),
    });
  await check({ blocks: { '0x0': GENESIS, '0x7': BLOCK_7 } });
  await expect(check({ blocks: { '0x0': GENESIS, '0x7': OTHER } })).rejects.toThrow(/lacks block 7/);
  await expect(check({ blocks: { '0x0': GENESIS } })).rejects.toThrow(/lacks block 7/);
});
