import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { profileOf } from '../../src/chain/profile.ts';
import { createRpc } from '../../src/chain/rpc/rpc.ts';
import type { Db } from '../../src/db/client.ts';
import { createDb, query } from '../../src/db/client.ts';
import { checkChainIdentity, checkFinalBlock } from '../../src/engine/index.ts';
import { readOperatorOf } from '../../src/engine/store/chain-identity.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { insertAccount } from '../../lab/stage/accounts.ts';
import { createTestDatabase } from '../../lab/stage/database.ts';
import type { TestDatabase } from '../../lab/stage/database.ts';
import { queueIntent } from '../setup/queue.ts';
import { answerEach, startScriptedNode } from '../setup/scripted-node.ts';

const GENESIS = `0x${'aa'.repeat(32)}`;
const OTHER = `0x${'ee'.repeat(32)}`;
const OPERATOR = `0x${'0a'.repeat(20)}` as const;

let database: TestDatabase;
let db: Db;

beforeEach(async () => {
  database = await createTestDatabase();
  db = createDb(database.url, 4);
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
  /** Operators of earlier editions. */
  former?: Hex[];
}

/** Starts on a chain, as far as this check goes. */
async function check({
  chainId = 5n,
  operator = OPERATOR,
  blocks = { '0x0': GENESIS },
  former = [],
}: Chain = {}) {
  await using node = await startScriptedNode(
    answerEach(({ method, params: [number] }) => {
      const hash = method === 'eth_getBlockByNumber' ? blocks[String(number)] : undefined;
      return { result: hash === undefined ? null : { number, hash } };
    }),
  );
  using rpc = createRpc([node.url]);
  await checkChainIdentity(db, rpc, chainId, operator, former);
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
    `The database belongs to the Operator ${OPERATOR}, but OPERATOR_ADMIN and OPERATOR_ADMIN_DELAY make it ${operator}`,
  );
  await check();
});

describe('a new edition', () => {
  const [FIRST, SECOND, THIRD] = [OPERATOR, `0x${'0b'.repeat(20)}` as const, `0x${'0c'.repeat(20)}` as const];
  const contractOf = (edition: number): Hex => `0x${`c${edition}`.repeat(20)}`;
  const operatorOf = async (contract: Hex): Promise<Hex> => (await readOperatorOf(db, contract)).operator;
  const untilSomebodyWaits = async (): Promise<void> => {
    const waiting = `select 1 from pg_locks l join pg_database d on d.oid = l.database
                      where d.datname = current_database() and not l.granted`;
    while ((await query(db, waiting)).length === 0) await sleep(10);
  };
  const enterThird = () => check({ operator: THIRD, former: [SECOND, FIRST] });

  beforeEach(async () => {
    await insertAccount(db);
    await check();
  });

  test('leaves each contract with the Operator of its own, at the third one too', async () => {
    await queueIntent(db, contractOf(1), { operator: FIRST });
    await check({ operator: SECOND, former: [FIRST] });
    await queueIntent(db, contractOf(2), { operator: SECOND });
    await enterThird();
    expect(await Promise.all([1, 2, 3].map((edition) => operatorOf(contractOf(edition))))).toEqual([
      FIRST,
      SECOND,
      THIRD,
    ]);
  });

  test('is refused by a version that does not know one of those before', async () => {
    await check({ operator: SECOND, former: [FIRST] });
    const refused = `The database has contracts of the Operator ${FIRST}, which this version does not know`;
    await expect(check({ operator: THIRD, former: [SECOND] })).rejects.toThrow(refused);
    await expect(check({ operator: SECOND })).rejects.toThrow(refused);
    await enterThird();
  });

  test('waits for what is being accepted for the last one', async () => {
    await check({ operator: SECOND, former: [FIRST] });
    let entering: Promise<void> | undefined;
    await db.transaction(async (tx) => {
      await queueIntent(tx, contractOf(2), { operator: SECOND });
      entering = enterThird();
      await Promise.race([entering, untilSomebodyWaits()]);
    });
    await entering;
    expect(await operatorOf(contractOf(2))).toBe(SECOND);
  });
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
      `update follower set final_number = 500, final_hash = :final, head_number = 502, head_hash = :head,
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
