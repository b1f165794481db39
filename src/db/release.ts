import type { Migration } from './migration.ts';
import { accounts } from './migrations/001-accounts.ts';
import { engine } from './migrations/002-engine.ts';
import { features } from './migrations/003-features.ts';
import { lostCommits } from './migrations/004-lost-commits.ts';
import { editions } from './migrations/005-editions.ts';
import { tokenBounds } from './migrations/006-token-bounds.ts';
import { pausedOperators } from './migrations/007-paused-operators.ts';
import { growth } from './migrations/008-growth.ts';
import { sessionTokens } from './migrations/009-session-tokens.ts';
import { listFilters } from './migrations/010-list-filters.ts';
import { leanRows } from './migrations/011-lean-rows.ts';
import { sealRuns } from './migrations/012-seal-runs.ts';
import { placesInRows } from './migrations/013-places-in-rows.ts';
import { updatesInPage } from './migrations/014-updates-in-page.ts';
import { auditRuns } from './migrations/015-audit-runs.ts';
import { emailKeys } from './migrations/016-email-keys.ts';
import { auditRetention } from './migrations/017-audit-retention.ts';
import { emptyWrites } from './migrations/018-empty-writes.ts';
import { leases } from './migrations/019-leases.ts';
import { headAge } from './migrations/020-head-age.ts';
import { brakes } from './migrations/021-brakes.ts';
import { messageSequence } from './migrations/022-message-sequence.ts';
import { webhookLines } from './migrations/023-webhook-lines.ts';
import { sandboxNumbers } from './migrations/024-sandbox-numbers.ts';
import { deployment } from './migrations/025-deployment.ts';

/** What a release knows of schemas. */
export interface Release {
  /** As in package.json. */
  version: string;
  /**
   * In the order in which they are applied. What the code promises is also a constraint, so that a second replica, an
   * operator's psql or a mistake of ours is refused.
   */
  migrations: readonly Migration[];
  /**
   * Name of the newest migration without which its code does not work: one that the release before knew, or one that is done at
   * once. What takes long comes after it, so that a start does not wait for it.
   */
  oldestSchema: string;
}

/** This one. */
export const release: Release = {
  version: '0.2.0',
  migrations: [
    accounts,
    engine,
    features,
    lostCommits,
    editions,
    tokenBounds,
    pausedOperators,
    growth,
    sessionTokens,
    listFilters,
    leanRows,
    sealRuns,
    placesInRows,
    updatesInPage,
    auditRuns,
    emailKeys,
    auditRetention,
    emptyWrites,
    leases,
    headAge,
    brakes,
    messageSequence,
    webhookLines,
    sandboxNumbers,
    deployment,
  ],
  oldestSchema: '024-sandbox-numbers',
};
