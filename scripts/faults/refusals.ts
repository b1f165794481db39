import { createCli, runAsProcess } from '../../test/admin/cli.ts';
import { drawWrites, makeWrites } from '../../test/faults/writes.ts';
import { query } from '../../src/db/client.ts';
import type { Db } from '../../src/db/client.ts';
import { checkAlive } from './alive.ts';
import { say } from './outcome.ts';
import type { Fault } from './outcome.ts';
import { judgeStage, prepare, withAnvil, withDb } from './stage.ts';

const ROUNDS = 20;
const QUIET_MS = 180_000;
const VARIABLES = { CONFIRMATIONS: '3', WAIT_TIMEOUT_MS: '8000' };

/** The database refuses the verdict of one intent, as a constraint would that nobody thought of. All others go on. */
export const poisonVerdict: Fault = ({ scaled, random, isShort }) =>
  withAnvil(async (anvil) => {
    const stage = await prepare(anvil.url, { variables: VARIABLES });
    const rounds = isShort ? 1 : scaled(ROUNDS);
    const flaws: string[] = [];
    const levers: string[] = [];
    for (let round = 0; round < rounds && flaws.length === 0; round += 1) {
      const draw = random.fork(`round ${round}`);
      const writes = drawWrites(draw, 12, { targets: stage.targets.length, waiting: 0 });
      const victim = draw.between(1, 6);
      await withDb(stage.mintmark.databaseUrl, async (db) => {
        await preparePoison(db);
        let accepted = 0;
        await makeWrites(writes, stage.targets, stage.log, async () => {
          accepted += 1;
          if (accepted === victim) await poison(db);
        });
        // Contracts with nothing of the victim in front of them must not notice.
        const alive = await checkAlive(stage);
        flaws.push(...alive.flaws.map((flaw) => `round ${round + 1}, while it is refused: ${flaw}`));
        const [row] = await query<{ id: string | null }>(
          db,
          'select i.id from poisoned p left join intents i on i.number = p.number',
        );
        await query(db, 'drop trigger poison on intents');
        const retried = await createCli(stage.mintmark.environment).run('intents', 'retry', String(row?.id));
        if (retried.code === 0) levers.push('intents retry');
        const after = await checkAlive(stage);
        flaws.push(...after.flaws.map((flaw) => `round ${round + 1}, after it: ${flaw}`));
      });
      say(`  ${round + 1} of ${rounds} rounds`);
    }
    const judgement = await judgeStage(stage, { quietMs: flaws.length > 0 ? 0 : QUIET_MS });
    await stage.mintmark.stop();
    return {
      made: `${rounds} verdicts that the database refuses, among others`,
      judgement,
      note: levers.length > 0 ? `${levers.length} went on after "intents retry"` : 'none needed a person',
      flaws,
    };
  });

/** The trigger that refuses the verdict of whichever intent is named. */
async function preparePoison(db: Db): Promise<void> {
  await query(db, 'create table if not exists poisoned (number bigint)');
  await query(db, 'delete from poisoned');
  await query(
    db,
    `create or replace function refuse_poisoned() returns trigger language plpgsql as $$
     begin
       if new.status in ('confirmed', 'failed') and new.number in (select number from poisoned) then
         raise exception 'this verdict cannot be stored';
       end if;
       return new;
     end $$`,
  );
  await query(db, 'drop trigger if exists poison on intents');
  await query(
    db,
    'create trigger poison before update on intents for each row execute function refuse_poisoned()',
  );
}

/** Names the newest intent. */
const poison = (db: Db): Promise<unknown> =>
  query(db, `insert into poisoned select max(number) from intents where status in ('queued', 'submitted')`);

/** The guardian stops the Operator under load, and starts it again: everything rests, and nothing fails. */
export const stoppedOperator: Fault = ({ scaled, random, isShort }) =>
  withAnvil(async (anvil) => {
    const stage = await prepare(anvil.url, { variables: VARIABLES });
    const cli = createCli(stage.mintmark.environment, runAsProcess);
    const rounds = isShort ? 1 : scaled(ROUNDS);
    const flaws: string[] = [];
    for (let round = 0; round < rounds && flaws.length === 0; round += 1) {
      const draw = random.fork(`round ${round}`);
      const writes = drawWrites(draw, 10, { targets: stage.targets.length, controls: 0.3, waiting: 0.3 });
      const stopAt = draw.between(1, 4);
      let accepted = 0;
      await makeWrites(writes, stage.targets, stage.log, async () => {
        accepted += 1;
        if (accepted !== stopAt) return;
        const { code, stderr } = await cli.run('execution', 'stop');
        if (code !== 0) flaws.push(`"execution stop" was refused: ${stderr.trim()}`);
      });
      const { code, stderr } = await cli.run('execution', 'start');
      if (code !== 0) flaws.push(`"execution start" was refused: ${stderr.trim()}`);
      const alive = await checkAlive(stage);
      flaws.push(...alive.flaws.map((flaw) => `round ${round + 1}: ${flaw}`));
      say(`  ${round + 1} of ${rounds} rounds`);
    }
    const judgement = await judgeStage(stage, { quietMs: flaws.length > 0 ? 0 : QUIET_MS });
    await stage.mintmark.stop();
    if (judgement.failed > 0) flaws.push(`${judgement.failed} failed because the Operator rested`);
    return {
      made: `${rounds} stops and starts of the Operator by its guardian, under load`,
      judgement,
      note: `${judgement.acknowledged} writes, ${judgement.failed} failed`,
      flaws,
    };
  });
