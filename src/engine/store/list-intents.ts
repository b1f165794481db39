import { query } from '../../db/client.ts';
import type { Db } from '../../db/client.ts';
import { inList } from '../../db/in-list.ts';
import { pageBindings } from '../../db/page.ts';
import { toBytes } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Owner } from '../../lib/owner.ts';
import type { Page } from '../../lib/page.ts';
import { hasVerdict } from '../intent.ts';
import type { Intent, IntentStatus } from '../intent.ts';
import { INTENT_COLUMNS, SHOWN_STATUS, toIntent } from './intents.ts';
import type { IntentRow } from './intents.ts';

/** Which intents a page shows; null for all. */
export interface IntentPage extends Page {
  /** `open` for those that are queued or submitted. */
  status: IntentStatus | 'open' | null;
  kind: string | null;
  contract: Hex | null;
}

const OPEN = ['queued', 'submitted'] as const;
const PHASES = ['open', 'confirmed', 'failed', 'cancelled', 'quarantined'] as const;
/** What there is most of by far: `intents_of_kind` has all others. */
const COMMON_KIND = 'mint';

/** A page, newest first. However few of an account's intents a filter lets through, an index finds them. */
export async function listIntents(db: Db, owner: Owner, page: IntentPage): Promise<Intent[]> {
  const shown = page.status === 'open' ? OPEN : page.status && [page.status];
  const isCommon = page.kind === null || page.kind === COMMON_KIND;
  const sql = isCommon ? byStatus(page, shown) : byKind(page, shown);
  const rows = await query<IntentRow>(db, `${sql} limit :limit`, {
    ...owner,
    ...pageBindings(page),
    contract: page.contract && toBytes(page.contract),
  });
  return rows.map(toIntent);
}

type Filter = Pick<IntentPage, 'kind' | 'contract'>;
type Shown = readonly IntentStatus[] | null;

/** What indexes know of a status. */
const phaseOf = (status: IntentStatus): string => (hasVerdict(status) ? status : 'open');

/**
 * Each phase is read by itself, since an index has its intents in the order of the page: no more rows are read than a page
 * has, for each phase. Those of the common kind are hardly ever rare among them.
 */
function byStatus({ kind, contract }: Filter, shown: Shown): string {
  // No index is used for "is not distinct from": not the one of all contracts either, in which those of one may be far apart.
  const within = contract
    ? 'i.contract = :contract and i.environment is not distinct from :environment'
    : 'i.environment = :environment';
  const ofKind = kind === null ? '' : `and i.kind = '${COMMON_KIND}'`;
  const parts = (shown ? [...new Set(shown.map(phaseOf)), 'quarantined'] : PHASES).map((phase) => {
    const asShown = shown ? `and ${SHOWN_STATUS} ${inList(shown)}` : '';
    return `(select ${INTENT_COLUMNS} from intents i
      where i.account_id = :accountId and ${within} and i.phase = '${phase}' ${ofKind}
        and -i.number > -(:before::bigint) ${asShown}
      order by -i.number limit :limit)`;
  });
  return `${parts.join(' union all ')} order by number desc`;
}

/**
 * The kind stands in the statement, so that its index is found. That has all that is filtered by: what a filter leaves out
 * is not read from the table.
 */
function byKind({ kind, contract }: Filter, shown: Shown): string {
  if (kind === null || !/^[a-z_]+$/.test(kind)) throw new Error(`${kind} is no name of a kind`);
  const asShown = shown
    ? `and i.phase ${inList([...shown.map(phaseOf), 'quarantined'])} and ${SHOWN_STATUS} ${inList(shown)}`
    : '';
  return `select ${INTENT_COLUMNS} from intents i
    where i.account_id = :accountId and i.environment = :environment and i.kind = '${kind}' ${contract ? 'and i.contract = :contract' : ''}
      and -i.number > -(:before::bigint) ${asShown}
    order by -i.number`;
}
