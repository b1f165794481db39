import { setTimeout as sleep } from 'node:timers/promises';
import { JsonRpcProvider } from 'ethers';
import { query } from '../../src/db/client.ts';
import type { Db } from '../../src/db/client.ts';

/*
 * The judge decodes the chain by itself and shares no code with the service but the connection to its database: a
 * mistake of the service must not hide itself here.
 */

/** Topic of `CallExecuted(uint256 indexed intent, uint256 gasUsed, uint256 result)` of the Operator. */
export const EXECUTED_TOPIC = '0x24bc3ac088b3023acb8f7de428c2d3a7d3214cd4810b73adeba24d6b442281a2';

/** The answers that clients got. A request without an answer is unknown, not failed. */
export interface ClientLog {
  /** Ids of intents that were acknowledged, by 2xx. */
  acknowledged: Set<string>;
  /** Requests without an answer. */
  unknown: number;
  /** Requests that were refused, by 4xx or 5xx. */
  refused: number;
}

export interface Judgement {
  acknowledged: number;
  unknown: number;
  refused: number;
  confirmed: number;
  failed: number;
  /** Acknowledged or confirmed, but not on the chain; or without a verdict. */
  lost: number;
  /** Intents with more than one event of success. */
  doubled: number;
  /** Events of success without an intent that is confirmed. */
  unasked: number;
  /** Intents that are `failed` although they have an effect. */
  falseFailures: number;
  nonceGaps: number;
  /** Differences between balances, ledger rows and verdicts. */
  ledgerErrors: number;
}

/** Waits until every intent is final. Returns how many are not when the time is over. */
export async function waitForQuiet(db: Db, timeoutMs: number): Promise<number> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const [row] = await query<{ open: number }>(
      db,
      `select count(*)::int as open from intents
        where final_at is null and (status <> 'confirmed' or target is not null)`,
    );
    if (row!.open === 0 || Date.now() > deadline) return row!.open;
    await sleep(200);
  }
}

/**
 * Compares chain, database and the clients' log. The chain is read from the node itself. Every acknowledged write must
 * have one effect, every unknown one at most one; there must be no effect without a request, no nonce gap, and no
 * difference to the ledger.
 */
export async function judge(db: Db, nodeUrl: string, operator: string, log: ClientLog): Promise<Judgement> {
  const provider = new JsonRpcProvider(nodeUrl, undefined, { staticNetwork: true, batchMaxCount: 1 });
  try {
    const effects = await countEffects(provider, operator);
    const intents = await query<{
      number: bigint;
      id: string;
      status: string;
      sent: boolean;
      final: boolean;
    }>(
      db,
      `select number, id, status, target is not null as sent, final_at is not null as final from intents`,
    );
    const byNumber = new Map(intents.map((intent) => [intent.number, intent]));
    const byId = new Map(intents.map((intent) => [intent.id, intent]));
    const confirmed = intents.filter(({ status, sent }) => status === 'confirmed' && sent);
    const lostAcknowledged = [...log.acknowledged].filter((id) => {
      const intent = byId.get(id);
      return !intent || intent.status === 'queued' || intent.status === 'submitted';
    });
    return {
      acknowledged: log.acknowledged.size,
      unknown: log.unknown,
      refused: log.refused,
      confirmed: confirmed.length,
      failed: intents.filter(({ status }) => status === 'failed').length,
      lost: lostAcknowledged.length + confirmed.filter(({ number }) => !effects.has(number)).length,
      doubled: [...effects.values()].filter((count) => count > 1).length,
      unasked: [...effects.keys()].filter((number) => byNumber.get(number)?.status !== 'confirmed').length,
      falseFailures: [...effects.keys()].filter((number) => byNumber.get(number)?.status === 'failed').length,
      nonceGaps: await countNonceGaps(db),
      ledgerErrors: await countLedgerErrors(db),
    };
  } finally {
    provider.destroy();
  }
}

/** Returns the number of successes of each intent on the chain, by intent number. */
async function countEffects(provider: JsonRpcProvider, operator: string): Promise<Map<bigint, number>> {
  const filter = { address: operator, topics: [EXECUTED_TOPIC], fromBlock: 'earliest', toBlock: 'latest' };
  const logs = (await provider.send('eth_getLogs', [filter])) as { topics: string[] }[];
  const effects = new Map<bigint, number>();
  for (const { topics } of logs) {
    // Above the number is the epoch: a number that had its effect in two of them is one that had it twice.
    const intent = BigInt.asUintN(64, BigInt(topics[1]!));
    effects.set(intent, (effects.get(intent) ?? 0) + 1);
  }
  return effects;
}

async function countNonceGaps(db: Db): Promise<number> {
  const [row] = await query<{ gaps: number }>(
    db,
    `select count(*)::int as gaps
       from (select nonce - lag(nonce) over (partition by signer order by nonce) as step from transactions) s
      where step <> 1`,
  );
  return row!.gaps;
}

/** Counts balances that differ from their ledger rows, and holds that differ from the verdict of their intent. */
async function countLedgerErrors(db: Db): Promise<number> {
  const [row] = await query<{ errors: number }>(
    db,
    `with sums as (
       select account_id, meter, period,
              coalesce(sum(amount) filter (where kind = 'grant'), 0) as granted,
              coalesce(sum(amount) filter (where kind = 'hold'), 0)
                - coalesce(sum(amount) filter (where kind in ('commit', 'release')), 0) as held,
              coalesce(sum(amount) filter (where kind = 'commit'), 0) as committed
         from ledger_entries group by 1, 2, 3
     ), wrong_balances as (
       select 1 from balances b left join sums s using (account_id, meter, period)
        where b.held <> coalesce(s.held, 0) or b.committed <> coalesce(s.committed, 0) or b.granted <> s.granted
     ), wrong_holds as (
       select 1 from intents i join ledger_entries h on h.intent_number = i.number and h.kind = 'hold'
         left join ledger_entries v on v.intent_number = i.number and v.kind in ('commit', 'release')
        where (i.final_at is not null and v.kind is distinct from
                 case when i.status = 'confirmed' then 'commit' else 'release' end)
           or (i.final_at is null and v.kind is not null)
     )
     select (select count(*) from wrong_balances)::int + (select count(*) from wrong_holds)::int as errors`,
  );
  return row!.errors;
}

/** Required of every run. */
export const FLAWLESS = { lost: 0, doubled: 0, unasked: 0, falseFailures: 0, nonceGaps: 0, ledgerErrors: 0 };
