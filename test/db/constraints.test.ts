import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';

const { db } = useSuiteDatabase(2);

const sql = <Row>(text: string, bindings: Record<string, unknown> = {}) => query<Row>(db, text, bindings);

const ACCOUNT = randomUUID();
const OTHER = randomUUID();
const CONTRACT = Buffer.alloc(20, 1);
const SIGNER = Buffer.alloc(20, 2);
const HASH = Buffer.alloc(32, 3);

/** The smallest valid rows: two accounts, a lane, a submitted and a queued intent, and the first one's transaction. */
beforeEach(async () => {
  await sql('truncate accounts, lanes, intents, transactions, chain restart identity cascade');
  await sql(
    `insert into accounts (id, email, password_hash) values (:account, 'a@b.c', 'x'), (:other, 'd@e.f', 'x')`,
    { account: ACCOUNT, other: OTHER },
  );
  await sql('insert into lanes (signer, next_nonce) values (:signer, 1)', { signer: SIGNER });
  for (const status of ['submitted', 'queued']) {
    await sql(
      `insert into intents (id, account_id, environment, kind, contract, target, calldata, operator, epoch, status, transaction_hash)
       values (:id, :account, 'live', 'mint', :contract, :contract, '\\\\x00', :contract, 1, :status, :hash)`,
      {
        id: randomUUID(),
        account: ACCOUNT,
        contract: CONTRACT,
        status,
        hash: status === 'submitted' ? HASH : null,
      },
    );
  }
  await sql(
    `insert into transactions (signer, nonce, gas_limit, expected_gas, operator, epoch, calldata) values (:signer, 0, 21000, 21000, :signer, 1, '\\\\x00')`,
    { signer: SIGNER },
  );
  await sql(`update transactions set intent_numbers = '{1}', gas_caps = '{1}'`);
  await sql(`update intents set decided_by = 1, sent_in = '{1}' where number = 1`);
});

async function refused(statement: string, bindings: Record<string, unknown> = {}): Promise<string> {
  const error = await sql(statement, bindings).then(
    () => null,
    (reason: { code: string }) => reason,
  );
  if (error === null) throw new Error(`the database took: ${statement}`);
  return error.code;
}

const UNIQUE = '23505';
const CHECK = '23514';
const FOREIGN = '23503';
const NOT_NULL = '23502';

test('the rows that the other tests start from are valid', async () => {
  expect(await sql('select number, status from intents order by number')).toEqual([
    { number: 1n, status: 'submitted' },
    { number: 2n, status: 'queued' },
  ]);
});

describe('an intent', () => {
  test.each([
    ['an unknown status', `update intents set status = 'lost', phase = 'lost' where number = 1`],
    ['submitted without a transaction', `update intents set transaction_hash = null where number = 1`],
    [
      'failed without a reason',
      `update intents set status = 'failed', phase = 'failed', final_at = now() where number = 1`,
    ],
    [
      'a reason without a failure',
      `update intents set error_code = 'CHAIN_ERROR', error_message = 'x' where number = 1`,
    ],
    [
      'a failure that is not final',
      `update intents set status = 'failed', phase = 'failed', error_code = 'CHAIN_ERROR', error_message = 'x' where number = 1`,
    ],
    [
      'cancelled and not final',
      `update intents set status = 'cancelled', phase = 'cancelled' where number = 2`,
    ],
    ['final while it is under way', `update intents set final_at = now() where number = 1`],
    [
      'queued with nothing to send',
      `update intents set target = null, calldata = null, operator = null, epoch = null where number = 2`,
    ],
    ['a call without an Operator', `update intents set operator = null, epoch = null where number = 2`],
    ['of an Operator and no epoch of it', `update intents set epoch = null where number = 2`],
    ['a call without a target', `update intents set target = null where number = 2`],
    ['a sandbox intent that is sent', `update intents set environment = 'sandbox' where number = 2`],
    ['an address of 19 bytes', `update intents set contract = substr(contract, 2) where number = 1`],
    ['more gas than a transaction may have', `update intents set gas_estimate = 16777217 where number = 1`],
  ])('is never %s', async (_state, statement) => {
    expect(await refused(statement)).toBe(CHECK);
  });

  test('has a unique id', async () => {
    expect(
      await refused('update intents set id = (select id from intents where number = 1) where number = 2'),
    ).toBe(UNIQUE);
  });

  test.each([
    ['that it was never in', 'update intents set decided_by = 2 where number = 1'],
    ['that is unknown', `update intents set sent_in = '{null}' where number = 1`],
    ['while it is queued', `update intents set decided_by = 1, sent_in = '{1}' where number = 2`],
  ])('is decided on by no transaction %s', async (_state, statement) => {
    expect(await refused(statement)).toBe(CHECK);
  });
});

describe('a transaction', () => {
  test('has a nonce that is unique for its signer', async () => {
    expect(
      await refused(
        `insert into transactions (signer, nonce, gas_limit, expected_gas, operator, epoch, calldata) values (:signer, 0, 21000, 21000, :signer, 1, '\\\\x00')`,
        { signer: SIGNER },
      ),
    ).toBe(UNIQUE);
  });

  test.each([
    ['mined without a block', `update transactions set status = 'mined'`],
    [
      'in a block while it is open',
      `update transactions set block_hash = :hash, block_number = 1, mined_hash = :hash`,
    ],
    ['an unknown status', `update transactions set status = 'lost'`],
    ['without gas', 'update transactions set gas_limit = 0'],
    ['with a call that has no cap', `update transactions set gas_caps = '{}'`],
    ['with a call that has no gas', `update transactions set gas_caps = '{0}'`],
    ['with a call of no intent', `update transactions set intent_numbers = '{null}'`],
    ['with a call of unknown gas', `update transactions set gas_caps = '{null}'`],
  ])('is never %s', async (_state, statement) => {
    expect(await refused(statement, { hash: HASH })).toBe(CHECK);
  });

  test('belongs to a known signer', async () => {
    expect(await refused('update transactions set signer = :signer', { signer: Buffer.alloc(20, 9) })).toBe(
      FOREIGN,
    );
  });
});

describe('an account', () => {
  test('has an e-mail that is unique without regard to case', async () => {
    expect(await refused(`update accounts set email = 'A@B.C' where id = :other`, { other: OTHER })).toBe(
      UNIQUE,
    );
  });

  test.each([
    ['an unknown plan', `update accounts set plan = 'GOLD'`],
    ['a wallet of 19 bytes', `update accounts set wallet_address = '\\\\x${'01'.repeat(19)}'`],
  ])('never has %s', async (_state, statement) => {
    expect(await refused(statement)).toBe(CHECK);
  });

  test('uses one invite, and an invite has a user and a time or neither', async () => {
    await sql(
      `insert into invites (code_hash, hint, used_by, used_at) values (:hash, 'a', :account, now()), (:otherHash, 'b', null, null)`,
      { hash: HASH, account: ACCOUNT, otherHash: Buffer.alloc(32, 4) },
    );
    expect(
      await refused('update invites set used_by = :account, used_at = now()', { account: ACCOUNT }),
    ).toBe(UNIQUE);
    expect(await refused('update invites set used_by = null')).toBe(CHECK);
  });

  test('cannot be deleted while other rows refer to it', async () => {
    expect(await refused('delete from accounts where id = :account', { account: ACCOUNT })).toBe(FOREIGN);
  });
});

describe('a credential', () => {
  const insert = (columns: Record<string, unknown>) => {
    const row = { id: randomUUID(), account_id: ACCOUNT, secret_hash: HASH, ...columns };
    return refused(
      `insert into credentials (${Object.keys(row).join()}) values (:${Object.keys(row).join(', :')})`,
      row,
    );
  };

  test('has an expiry unless it is an API key', async () => {
    expect(await insert({ kind: 'session' })).toBe(CHECK);
    expect(await insert({ kind: 'access_token' })).toBe(CHECK);
  });

  test('belongs to the sandbox only as an API key', async () => {
    expect(await insert({ kind: 'session', expires_at: new Date(), environment: 'sandbox' })).toBe(CHECK);
  });

  test('is kept as a unique hash of 32 bytes', async () => {
    const key = { kind: 'api_key', name: 'ci', key_prefix: 'mtk_abcd' };
    expect(await insert({ ...key, secret_hash: Buffer.from('mtk_the_raw_key') })).toBe(CHECK);
    expect(await insert({ ...key, secret_hash: null })).toBe(NOT_NULL);
    await sql(
      `insert into credentials (id, account_id, kind, secret_hash, name, key_prefix) values (:id, :account, 'api_key', :hash, 'a', 'b')`,
      { id: randomUUID(), account: ACCOUNT, hash: HASH },
    );
    expect(await insert(key)).toBe(UNIQUE);
  });
});

describe('an idempotency record', () => {
  const insert = (key: string, intentNumber: number | null, answer: string | null, account = ACCOUNT) =>
    sql(
      `insert into idempotency_records (account_id, environment, key, request_hash, intent_number, answer)
       values (:account, 'live', :key, :hash, :intentNumber, :answer)`,
      { account, key, hash: HASH, intentNumber, answer },
    );

  test('is unique for an account and a key', async () => {
    await insert('k', 1, null);
    await expect(insert('k', 2, null)).rejects.toMatchObject({ code: UNIQUE });
    await insert('k', 2, null, OTHER);
  });

  test('has an intent or an answer, and not both', async () => {
    await expect(insert('k', null, null)).rejects.toMatchObject({ code: CHECK });
    await expect(insert('k', 1, '{}')).rejects.toMatchObject({ code: CHECK });
  });

  test.each(['', 'x'.repeat(256)])('has a key of 1 to 255 bytes and not %#', async (key) => {
    await expect(insert(key, 1, null)).rejects.toMatchObject({ code: CHECK });
  });
});

describe('a balance', () => {
  const insert = (granted: number, held: number, committed: number, period = '2026-11-01') =>
    sql(
      `insert into balances (account_id, meter, period, granted, held, committed)
       values (:account, 'mints', cast(:period as date), :granted, :held, :committed)`,
      { account: ACCOUNT, period, granted, held, committed },
    );

  test('holds and spends no more than was granted', async () => {
    await insert(10, 4, 6);
    await expect(insert(10, 5, 6, '2026-12-01')).rejects.toMatchObject({ code: CHECK });
    expect(await refused('update balances set held = held + 1')).toBe(CHECK);
    expect(await refused('update balances set granted = granted - 1')).toBe(CHECK);
  });

  test.each([
    [-1, 0, 0],
    [10, -1, 0],
    [10, 2, -1],
  ])('is never negative: %i granted, %i held, %i committed', async (granted, held, committed) => {
    await expect(insert(granted, held, committed)).rejects.toMatchObject({ code: CHECK });
  });

  test('is of a month, which begins on its first day, once', async () => {
    await expect(insert(10, 0, 0, '2026-11-02')).rejects.toMatchObject({ code: CHECK });
    await insert(10, 0, 0);
    await expect(insert(10, 0, 0)).rejects.toMatchObject({ code: UNIQUE });
  });
});

test('the database belongs to one chain', async () => {
  const insert = () => sql('insert into chain (chain_id, genesis_hash) values (1, :hash)', { hash: HASH });
  await insert();
  await expect(insert()).rejects.toMatchObject({ code: UNIQUE });
  expect(await refused('insert into chain values (false, 1, :hash)', { hash: HASH })).toBe(CHECK);
});

test('new contracts belong to one Operator, and older ones to one that is known', async () => {
  const insert = (address: Buffer, isCurrent: boolean) =>
    sql('insert into operators (address, is_current) values (:address, :isCurrent)', { address, isCurrent });
  await insert(SIGNER, true);
  await insert(Buffer.alloc(20, 7), false);
  await expect(insert(Buffer.alloc(20, 8), true)).rejects.toMatchObject({ code: UNIQUE });
  const assign = (operator: Buffer) =>
    refused(
      `insert into contracts (contract, account_id, operator, waiting) select :contract, id, :operator, true from accounts limit 1`,
      { contract: SIGNER, operator },
    );
  expect(await assign(Buffer.alloc(20, 9))).toBe(FOREIGN);
});
