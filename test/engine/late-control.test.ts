import { beforeEach, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { settleFinished } from '../../src/engine/settle/finished.ts';
import { insertTransaction } from '../../src/engine/store/insert-transaction.ts';
import { toBytes } from '../../src/lib/hex.ts';
import { insertAccount } from '../setup/accounts.ts';
import { queueIntent } from '../setup/queue.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';
import { createAttempt, createDraft } from '../setup/transactions.ts';

const SIGNER = `0x${'01'.repeat(20)}` as const;
const CONTRACT = `0x${'c0'.repeat(20)}` as const;
const HASH = `0x${'aa'.repeat(32)}` as const;

const { db } = useSuiteDatabase(3);

beforeEach(async () => {
  await db.raw('truncate accounts, intents, lanes, transactions, contract_lanes cascade');
  await insertAccount(db);
  await query(db, 'insert into lanes (signer, epoch, next_nonce) values (:signer, 1, 0)', {
    signer: toBytes(SIGNER),
  });
});

const queue = async (kind: string, mayComeLate: boolean): Promise<bigint> =>
  (await queueIntent(db, CONTRACT, { kind, mayComeLate })).number;

/** How a transaction ended without a success of its call. */
interface End {
  /** A no-op, or refused by the Operator as a whole. */
  isBlameless: boolean;
  /** Whether it was mined, or its nonce went elsewhere. */
  isMined: boolean;
  /** Whether its call ran, and used up its cap. */
  isRun: boolean;
}

const OUT_OF_GAS: End = { isBlameless: false, isMined: true, isRun: true };
const ENDS: [string, End][] = [
  ['used up its cap', OUT_OF_GAS],
  ['was reverted as a whole', { isBlameless: false, isMined: true, isRun: false }],
  ['was refused by the Operator, or gave up to a no-op', { isBlameless: true, isMined: true, isRun: false }],
  ['lost its nonce', { isBlameless: false, isMined: false, isRun: false }],
];

/** Sends an intent in a transaction that is final without a success of it. Returns its status. */
async function endWithout(number: bigint, { isBlameless, isMined, isRun }: End): Promise<string> {
  const draft = createDraft(CONTRACT, [number], { attempt: createAttempt(HASH) });
  const id = (await insertTransaction(db, { signer: SIGNER, epoch: 1n }, draft)).id!;
  const gasUsed = BigInt(draft.members[0]!.gasCap);
  const result = { ok: false, gasUsed, returnData: '0x' as const };
  await db.transaction((tx) =>
    settleFinished(
      tx,
      { factories: [] },
      [{ id, isBlameless, minedHash: isMined ? HASH : null }],
      isRun ? [{ epoch: 1n, number, transactionHash: HASH, result }] : [],
      () => true,
    ),
  );
  const [row] = await query<{ status: string }>(db, 'select status from intents where number = :number', {
    number: String(number),
  });
  return row!.status;
}

const confirm = (number: bigint) =>
  query(db, `update intents set status = 'confirmed', transaction_hash = :hash where number = :number`, {
    number: String(number),
    hash: toBytes(HASH),
  });

test.each(ENDS)(
  'a control that %s goes again when nothing later of its contract is done',
  async (_name, end) => {
    const pause = await queue('pause', false);
    await queue('unpause', false);
    expect(await endWithout(pause, end)).toBe('queued');
  },
);

test.each(ENDS)(
  'a control that %s and that a later one has overtaken fails: it would undo what was asked after it',
  async (_name, end) => {
    const pause = await queue('pause', false);
    await confirm(await queue('unpause', false));
    expect(await endWithout(pause, end)).toBe('failed');
  },
);

test('a mint goes again, whatever was done meanwhile', async () => {
  const mint = await queue('mint', true);
  await confirm(await queue('pause', false));
  expect(await endWithout(mint, OUT_OF_GAS)).toBe('queued');
});
