import { afterEach, describe, expect, test } from '@jest/globals';
import { addJudgements, flawsOf, rowOf } from '../../lab/faults/outcome.ts';
import { FAULTS, MAY_FAIL } from '../../lab/faults/rows.ts';
import { createExplorerUrl } from '../../src/chain/chain.ts';
import { query } from '../../src/db/client.ts';
import type { Db } from '../../src/db/client.ts';
import { combineFollowUps } from '../../src/engine/ports.ts';
import { applyVerdicts, toVerdicts } from '../../src/engine/verdict/verdict.ts';
import { failIntents } from '../../src/engine/store/verdicts.ts';
import { createFollowUps } from '../../src/features/follow-ups.ts';
import { FLAWLESS } from '../../lab/faults/judge.ts';
import type { Judgement } from '../../lab/faults/judge.ts';
import { deployTargets, emptyLog, mintOnce } from '../../lab/load/load.ts';
import { startStand } from '../setup/stand.ts';
import type { Stand } from '../setup/stand.ts';
import { SHORT_TIMINGS } from '../engine/timings.ts';

/** Mints, of which every third one fails without a reason: nothing of it is sent, and its quota is given back. */
const MINTS = 9;
const ERROR = { code: 'CHAIN_ERROR', message: 'The call reverted: Panic(17)' } as const;
const REASON = `failed: ${ERROR.code} ${ERROR.message}`;

const JUDGED: Judgement = {
  ...FLAWLESS,
  ...{ acknowledged: MINTS, unknown: 0, refused: 0, confirmed: 6, failed: 3 },
  failures: [ERROR, ERROR, ERROR],
};

let stand: Stand | undefined;
afterEach(() => stand?.stop());

/** As an engine would that takes what it could send for failed. */
async function failEveryThird(db: Db): Promise<void> {
  const rows = await query<{ number: bigint }>(
    db,
    `select number from (select number, row_number() over (order by number) as place from intents where status = 'queued') q
      where place % 3 = 0`,
  );
  const followUps = combineFollowUps(createFollowUps(db, createExplorerUrl('http://127.0.0.1')));
  const failures = rows.map(({ number }) => ({ number, error: ERROR, transactionHash: null }));
  await db.transaction(async (tx) => {
    const failed = await failIntents(tx, failures, ['queued']);
    await applyVerdicts(tx, followUps, toVerdicts(failed, 'failed'));
  });
}

test('a real service that fails every third mint has no other flaw than that', async () => {
  stand = await startStand({ blockTimeSeconds: 0.25 }, {}, { timings: SHORT_TIMINGS });
  const { mintmark, quiet, verdict } = stand;
  const [target] = await deployTargets([await mintmark.register()]);
  const { db } = mintmark.service.context;
  await quiet();
  // Nothing is sent until a third has failed.
  await query(
    db,
    `update lanes set term = term + 1, holder = 'another', lease_until = now() + interval '1 hour', lease_ms = 3600000`,
  );
  const log = emptyLog();
  for (let mint = 0; mint < MINTS; mint += 1) await mintOnce(target!, log);
  await failEveryThird(db);
  await query(db, `update lanes set lease_until = '-infinity'`);
  const judgement = await verdict(log);
  expect(judgement).toMatchObject({ ...FLAWLESS, acknowledged: MINTS, failed: 3, failures: JUDGED.failures });
  expect(flawsOf({ judgement, flaws: [] })).toEqual([`3 times: ${REASON}`]);
});

describe.each(Object.keys(FAULTS))('in the row "%s" every third mint that fails', (name) => {
  const mayFail = MAY_FAIL[name];
  const outcome = { made: 'mints', note: 'none', flaws: [] };

  test('is a violation, whether it failed after its acceptance', () => {
    expect(flawsOf({ ...outcome, judgement: JUDGED }, mayFail)).toEqual([`3 times: ${REASON}`]);
    expect(rowOf(name, { ...outcome, judgement: JUDGED }, { scale: 1, seed: 1, mayFail })).toContain(
      ' | 3 | **3 times',
    );
  });

  test('or was answered so', () => {
    const answer = { code: 'CHAIN_ERROR', message: '' };
    const judgement = { ...JUDGED, refused: 3, failed: 0, failures: [answer, answer, answer] };
    expect(flawsOf({ ...outcome, judgement }, mayFail)).toEqual(['3 times: failed: CHAIN_ERROR']);
  });
});

test('what a row lets fail is none, and runs are judged together', () => {
  const paused = [{ code: 'CHAIN_ERROR', message: 'The call reverted: TokenPaused()' }];
  const judgement = addJudgements([
    { ...JUDGED, failed: 1, failures: paused },
    { ...JUDGED, failed: 1, failures: [ERROR] },
  ]);
  expect(flawsOf({ judgement, flaws: [] }, MAY_FAIL['reorgs'])).toEqual([REASON]);
  const refusal = { code: 'VALIDATION_ERROR', message: '' };
  const refused = { ...JUDGED, failed: 0, refused: 2, failures: [refusal, refusal] };
  expect(flawsOf({ judgement: refused, flaws: [] }, MAY_FAIL['idempotency'])).toEqual([]);
  expect(flawsOf({ judgement: refused, flaws: [] })).toEqual(['2 times: failed: VALIDATION_ERROR']);
});
