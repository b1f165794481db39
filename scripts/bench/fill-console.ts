import { query } from '../../src/db/client.ts';
import type { Db, Tx } from '../../src/db/client.ts';
import { MAX_RUN } from '../../src/features/audit/chain.ts';
import { say } from '../lib/say.ts';

/** How much an account has. */
export interface Amounts {
  intents: number;
  tokens: number;
  collections: number;
  /** Of one collection. */
  nfts: number;
  auditEntries: number;
  /** Of one webhook. */
  deliveries: number;
}

/** What of it pages ask for. */
export interface Filled {
  /** Address of the contract with half of all mints. */
  busy: string;
  /** Address of the collection with all NFTs, which is the oldest one. */
  gallery: string;
  /** Id of the webhook with all deliveries. */
  webhook: string;
}

const EACH_DAY = 10_000;

/**
 * Fills the lists of one account, in the environment `live`. What is rare is oldest, where a list finds it last: its
 * collections, one token named Needle, failures, controls, sign-ins. Nothing of it is on the chain.
 */
export async function fillConsole(db: Db, accountId: string, amounts: Amounts): Promise<Filled> {
  say(`  making ${amounts.intents} intents, ${amounts.tokens} tokens and what else an account has`);
  await db.transaction(async (tx) => {
    // No trigger checks their references: the queue of checks would not fit into memory.
    await query(tx, 'set local session_replication_role = replica');
    await fillDeployments(tx, accountId, amounts);
    await fillMints(tx, accountId, amounts);
    await fillNfts(tx, accountId, amounts.nfts);
    await fillAudit(tx, accountId, amounts.auditEntries);
  });
  const webhook = await fillDeliveries(db, accountId, amounts.deliveries);
  await query(db, 'vacuum analyze');
  await query(db, 'checkpoint');
  const [busy] = await query<{ address: string }>(
    db,
    `select '0x' || encode(address, 'hex') as address from tokens where name = 'Busy'`,
  );
  const [gallery] = await query<{ address: string }>(
    db,
    `select '0x' || encode(address, 'hex') as address from tokens where name = 'Gallery'`,
  );
  return { busy: busy!.address, gallery: gallery!.address, webhook };
}

/** Columns and values that all filled intents share; `made` has the kind, the contract and what became of it. */
const INTENTS = `insert into intents (id, account_id, environment, kind, contract, target, calldata, operator, epoch, gas_estimate, arguments,
    status, error_code, error_message, transaction_hash, result, created_at, updated_at, final_at)
  select gen_random_uuid(), :accountId, 'live', made.kind, made.contract, made.contract, sha256(n::text::bytea) || sha256(n::text::bytea),
         decode(repeat('22', 20), 'hex'), 1, 50000, '{"type": "ERC20", "to": "0x3440326f551b8a7ee198cee35cb5d517f2d296a2"}', made.status,
         case when made.status = 'failed' then 'CHAIN_ERROR' end, case when made.status = 'failed' then 'The call reverted' end,
         case when made.status <> 'cancelled' then sha256((n / 100)::text::bytea) end, case when made.status = 'confirmed' then '\\x01'::bytea end,
         made.at, made.at, made.at`;

const AT = (share: string): string => `now() - interval '69 days' + ${share} * interval '68 days'`;

async function fillDeployments(tx: Tx, accountId: string, { tokens, collections }: Amounts): Promise<void> {
  await query(
    tx,
    `${INTENTS} from generate_series(1, :collections::int + :tokens::int) n,
       lateral (select case when n <= :collections::int then 'create_collection' else 'deploy_token' end as kind,
                       substring(sha256(n::text::bytea) for 20) as contract, 'confirmed' as status,
                       ${AT('n / 1e7')} as at offset 0) made
      order by n`,
    { accountId, tokens, collections },
  );
  // A name that nothing else has, a name that a tenth has, and many names.
  await query(
    tx,
    `insert into tokens (address, intent_number, account_id, environment, type, name, symbol, decimals, permissionless, recoverable,
                         created_at, deployed_at)
     select contract, number, account_id, 'live', case when is_erc20 then 'ERC20' else 'ERC721' end, made.name, 'T' || place % 1000,
            case when is_erc20 then 18 end, true, false, created_at, created_at
       from (select *, row_number() over (order by number) as place from intents
              where account_id = :accountId and kind in ('create_collection', 'deploy_token') and status = 'confirmed'
                and target = contract and operator = decode(repeat('22', 20), 'hex')) i,
            lateral (select kind = 'deploy_token' and place % 4 > 0 as is_erc20,
                            case place when 1 then 'Gallery' when :collections::int + 1 then 'Needle' when :collections::int + 2 then 'Busy'
                                 else case place % 10 when 0 then 'Coin of the day ' else 'Token number ' end || place end as name) made`,
    { accountId, collections },
  );
}

/**
 * Half of the mints are on one contract. Before them come some controls, some failures and some that were cancelled.
 */
async function fillMints(
  tx: Tx,
  accountId: string,
  { intents, tokens, collections }: Amounts,
): Promise<void> {
  const deployed = tokens + collections;
  await query(
    tx,
    `${INTENTS} from generate_series(1, :mints::int) n,
       lateral (select case when n <= 30 then 'pause' else 'mint' end as kind,
                       substring(sha256((case when n % 2 = 0 then :collections::int + 2 else 1 + n % :deployed::int end)::text::bytea) for 20)
                         as contract,
                       case when n <= 40 and n % 2 = 0 then 'failed' when n between 41 and 50 then 'cancelled' else 'confirmed' end as status,
                       ${AT('(0.1 + 0.9 * n / :mints::int)')} as at offset 0) made
      order by n`,
    { accountId, mints: intents - deployed, deployed, collections },
  );
}

async function fillNfts(tx: Tx, accountId: string, count: number): Promise<void> {
  await query(
    tx,
    `insert into nfts (contract, token_id, recipient, intent_number, transaction_hash)
     select t.address, n, substring(sha256(n::text::bytea) for 20), 0, sha256(n::text::bytea)
       from tokens t, generate_series(1, :count::int) n where t.account_id = :accountId and t.name = 'Gallery'`,
    { accountId, count },
  );
}

/** Sealed already: to seal them is the work of a job, and none of a list. */
async function fillAudit(tx: Tx, accountId: string, count: number): Promise<void> {
  await query(
    tx,
    `with made as (
       insert into audit_entries (created_at, actor, account_id, credential_id, address, user_agent, action, environment, intent_id, details)
       select ${AT('n / :count::float8')}, 'account', :accountId, gen_random_uuid(), '203.0.113.7', 'shop/1.4',
              case when n <= 100 then 'sign_in' else 'write' end, case when n > 100 then 'live' end,
              case when n > 100 then gen_random_uuid() end, '{"kind": "mint"}'
         from generate_series(1, :count::int) n order by n returning number
     ), sealed as (
       insert into audit_seals (first, hashes)
       select min(number), string_agg(sha256(number::text::bytea), '' order by number) from made group by number / ${MAX_RUN}
     )
     update audit_head set number = (select max(number) from made)`,
    { accountId, count },
  );
}

/** All of the last 30 days: a job deletes what is older. Those that failed are oldest. */
async function fillDeliveries(db: Db, accountId: string, count: number): Promise<string> {
  const [webhook] = await query<{ id: string }>(
    db,
    `insert into webhooks (id, account_id, environment, url, events, enabled, secret)
     values (gen_random_uuid(), :accountId, 'live', 'https://receiver.invalid/hook', '{intent.confirmed}', false, sha256('x')) returning id`,
    { accountId },
  );
  await query(
    db,
    `insert into webhook_deliveries (id, webhook_id, account_id, event, intent_id, payload, status, attempts, response_status, error, attempted_at, created_at)
     select gen_random_uuid(), :webhook, (select account_id from webhooks where id = :webhook), 'intent.confirmed', gen_random_uuid(), repeat('x', 600),
            case when n <= 50 then 'failed' else 'delivered' end, 1, case when n <= 50 then 503 else 204 end,
            case when n <= 50 then 'The receiver answered 503' end, made.at, made.at
       from generate_series(1, :count::int) n, lateral (select now() - interval '28 days' + n * interval '1 day' / :perDay::int as at) made
      order by n`,
    { webhook: webhook!.id, count, perDay: Math.max(EACH_DAY, Math.ceil(count / 20)) },
  );
  return webhook!.id;
}
