import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { profileOf } from '../../src/chain/profile.ts';
import { createRpc } from '../../src/chain/rpc/rpc.ts';
import type { Db } from '../../src/db/client.ts';
import { query } from '../../src/db/client.ts';
import { checkChainIdentity, checkFinalBlock, findOperators } from '../../src/engine/index.ts';
import { readOperatorOf } from '../../src/engine/store/operators.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { insertAccount } from '../../lab/stage/accounts.ts';
import { createTestDatabase, openTestDb } from '../../lab/stage/database.ts';
import type { TestDatabase } from '../../lab/stage/database.ts';
import { replaceOperator } from '../../lab/stage/replace-operator.ts';
import { queueIntent } from '../setup/queue.ts';
import { answerEach, startScriptedNode } from '../setup/scripted-node.ts';

const GENESIS = `0x${'aa'.repeat(32)}`;
const OTHER = `0x${'ee'.repeat(32)}`;
const OPERATOR = `0x${'0a'.repeat(20)}` as const;

let database: TestDatabase;
let db: Db & AsyncDisposable;

beforeEach(async () => {
  database = await createTestDatabase();
  db = openTestDb(database.url, 4);
});

afterEach(async () => {
  await db[Symbol.asyncDispose]();
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
  using rpc = createRpc([node.url]);
  await checkChainIdentity(db, rpc, chainId, operator);
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
    `The database belongs to the Operator ${OPERATOR}, but the contracts of this version, OPERATOR_ADMIN and OPERATOR_ADMIN_DELAY make it ${operator}`,
  );
  await check();
});

test('a contract belongs to the Operator that it was made with, whatever others came after it', async () => {
  const [FIRST, SECOND, THIRD] = [OPERATOR, `0x${'0b'.repeat(20)}` as const, `0x${'0c'.repeat(20)}` as const];
  const contractOf = (operator: Hex): Hex => `0x${operator.slice(2).replaceAll('0', 'c')}`;
  await insertAccount(db);
  await check();
  await queueIntent(db, contractOf(FIRST), { operator: FIRST });
  await replaceOperator(db, SECOND);
  await queueIntent(db, contractOf(SECOND), { operator: SECOND });
  await replaceOperator(db, THIRD);
  await check({ operator: THIRD });
  const operatorOf = async (contract: Hex): Promise<Hex> => (await readOperatorOf(db, contract)).operator;
  const all = [FIRST, SECOND, THIRD];
  expect(await Promise.all(all.map((operator) => operatorOf(contractOf(operator))))).toEqual(all);
  expect((await findOperators(db)).map(({ operator }) => operator).sort()).toEqual(all);
});

test('a chain without a genesis block is refused, and ties nothing', async () => {
  await expect(check({ blocks: {} })).rejects.toThrow(/without a genesis block/);
  await check({ chainId: 6n });
});

describe('a chain that lacks the last final block', () => {
  /** Hash of a block of one of two forks. */
  const hashOf = (fork: number, number: number): Hex =>
    `0x${fork.toString(16).padStart(32, '0')}${number.toString(16).padStart(32, '0')}`;
  const toBuffer = (hash: Hex): Buffer => Buffer.from(hash.slice(2), 'hex');

  /** Starts on a chain of fork 2 up to a head, which has the blocks up to `common` from fork 1. */
  async function start({ head, common }: { head: number; common: number }): Promise<void> {
    const forkAt = (number: number): number => (number <= common ? 1 : 2);
    await using node = await startScriptedNode(
      answerEach(({ method, params: [asked] }) => {
        if (method === 'eth_blockNumber') return { result: `0x${head.toString(16)}` };
        const number = asked === 'latest' ? head : Number(asked);
        if (number > head) return { result: null };
        return {
          result: {
            number: `0x${number.toString(16)}`,
            hash: hashOf(forkAt(number), number),
            parentHash: hashOf(forkAt(number - 1), number - 1),
            logsBloom: '0x',
          },
        };
      }),
    );
    using rpc = createRpc([node.url]);
    await checkFinalBlock(db, rpc, { ...profileOf(31_337n), finality: 3 });
  }

  /** The database knows the final block 500 of fork 1, and the blocks in which it has something. */
  async function know(...blocks: number[]): Promise<void> {
    await query(
      db,
      `update reader set final_number = 500, final_hash = :final, head_number = 502, head_hash = :head,
                           first_number = :first, first_hash = :firstHash`,
      {
        final: toBuffer(hashOf(1, 500)),
        head: toBuffer(hashOf(1, 502)),
        first: blocks[0]!,
        firstHash: toBuffer(hashOf(1, blocks[0]!)),
      },
    );
    await query(db, `insert into lanes (signer, next_nonce) values (decode(repeat('aa', 20), 'hex'), 0)`);
    await query(
      db,
      `insert into transactions (signer, nonce, status, gas_limit, expected_gas, operator, epoch, calldata, block_number, block_hash)
       select signer, ordinality, 'displaced', 1, 1, signer, 1, '', number, hash
         from lanes, unnest(:numbers::bigint[], :hashes::bytea[]) with ordinality as b (number, hash, ordinality)`,
      { numbers: blocks.map(String), hashes: blocks.map((number) => toBuffer(hashOf(1, number))) },
    );
  }

  test('is not refused when what is known up to the fork is on it, as deep as the service goes by itself', async () => {
    await know(300, 450, 490);
    await start({ head: 520, common: 519 });
    await start({ head: 520, common: 495 });
    await start({ head: 520, common: 490 });
    await start({ head: 520, common: 450 });
    await start({ head: 480, common: 480 });
  });

  test('is not refused when nothing was done in the blocks that it replaced, however old the last that was', async () => {
    await know(10, 300);
    await start({ head: 520, common: 450 });
    await start({ head: 520, common: 350 });
  });

  test('is refused with the command that goes on when it replaced more, or was reset', async () => {
    await know(300, 350, 490);
    const refused = /lacks block 500 .* run "npm run admin -- recover --accept-reorg"/;
    await expect(start({ head: 520, common: 349 })).rejects.toThrow(refused);
    await expect(start({ head: 520, common: 0 })).rejects.toThrow(refused);
    await expect(start({ head: 5, common: 0 })).rejects.toThrow(refused);
  });
});
