import { query } from '../../db/client.ts';
import type { Tx } from '../../db/client.ts';
import { MAX_OPEN_INTENTS } from '../../lib/plans.ts';
import type { Plan } from '../../lib/plans.ts';
import { IS_EPOCH_PENDING, MAY_LACK_COMMITS } from './epochs.ts';
import { IS_ANY_FUNDED } from './lanes.ts';
import { UNKNOWN_EFFECTS } from './unknown-effects.ts';

/** What acceptance has to know of the accounts that ask. */
interface LockedAccounts {
  /** Those with webhooks. */
  watched: ReadonlySet<string>;
  /**
   * How many intents more those may have open that were counted. Replicas that accept at once may each take all of it.
   */
  room: ReadonlyMap<string, number>;
  /** Whether any signer can pay for gas. */
  funded: boolean;
  /** Whether no commits may be lost, or all that they did is known, of all Operators. */
  isComplete: boolean;
  /** Whether any effect of unknown transactions is kept. */
  hasUnknown: boolean;
}

interface AccountRow {
  id: string;
  plan: Plan;
  isWatched: boolean;
  open: number | null;
  funded: boolean;
  isComplete: boolean;
  hasUnknown: boolean;
}

/**
 * Lets one replica at a time accept for these accounts: a key that another one is accepting is either seen afterwards
 * or waited for here, so two racers can never both find it free.
 * @param counted those of them whose open intents are counted
 */
export async function lockAccounts(
  tx: Tx,
  accountIds: readonly string[],
  counted: readonly string[],
): Promise<LockedAccounts> {
  const rows = await query<AccountRow>(
    tx,
    // Only one index has the order of minus the number: of empty tables the planner takes another one, of all accounts,
    // for as good.
    `select a.id, a.plan, a.is_watched as "isWatched",
            ${IS_ANY_FUNDED} as funded,
            not (${MAY_LACK_COMMITS} or ${IS_EPOCH_PENDING}) as "isComplete",
            exists (select 1 from ${UNKNOWN_EFFECTS} e) as "hasUnknown",
            case when a.id = any(:counted::uuid[]) then (
              select count(*)::int
                from (select 1 from intents i
                       where i.account_id = a.id and i.environment = 'live' and i.phase = 'open' order by -i.number limit :most) o)
            end as open
       from accounts a where a.id = any(:accountIds::uuid[]) order by a.id for no key update`,
    {
      accountIds: [...new Set(accountIds)].sort(),
      counted,
      most: Math.max(...Object.values(MAX_OPEN_INTENTS)),
    },
  );
  return {
    room: new Map(
      rows.flatMap(({ id, plan, open }) => (open === null ? [] : [[id, MAX_OPEN_INTENTS[plan] - open]])),
    ),
    watched: new Set(rows.flatMap(({ id, isWatched }) => (isWatched ? [id] : []))),
    funded: rows[0]?.funded ?? false,
    isComplete: rows[0]?.isComplete ?? true,
    hasUnknown: rows[0]?.hasUnknown ?? false,
  };
}
