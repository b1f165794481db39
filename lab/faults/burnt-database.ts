import { setTimeout as sleep } from 'node:timers/promises';
import { adopt } from '../../src/admin/adopt.ts';
import { openAdminContext } from '../../src/admin/open.ts';
import { readConfig } from '../../src/config.ts';
import { query } from '../../src/db/client.ts';
import { createMintmarkClient } from '../../generated/client.ts';
import { emptyLog, inParallel } from '../load/load.ts';
import type { Random } from '../random.ts';
import type { Anvil } from '../stage/anvil.ts';
import { createTestDatabase } from '../stage/database.ts';
import { waitForStatus } from '../stage/intents.ts';
import { startTestService } from '../stage/service.ts';
import type { TestAccount, TestService } from '../stage/service.ts';
import { requestErc20, requestMint } from '../stage/tokens.ts';
import type { TestAnswer } from '../stage/tokens.ts';
import { countEffects } from './operator-events.ts';
import type { Judgement } from './judge.ts';
import { addJudgements } from './outcome.ts';
import type { Fault, Outcome } from './outcome.ts';
import { judgeStage, withAnvil } from './stage.ts';

const ACCOUNTS = 3;
const MINTS = 40;
const WIDTH = 4;
const RETRY_MS = 300;

/** What a client knows of its requests: the intent of each, or null without an answer. */
interface Asked {
  address: string;
  ids: (string | null)[];
}

/**
 * Asks for a token and its mints under a key each, and follows none of the mints. What is not accepted is asked again,
 * until `isOver` says that there is no service.
 */
async function askForAll(account: TestAccount, isOver: () => boolean = () => false): Promise<Asked | null> {
  const ask = async (send: () => Promise<TestAnswer>): Promise<string | null> => {
    for (;;) {
      const { intentId } = await send().catch(() => ({ intentId: null }));
      if (intentId !== null || isOver()) return intentId;
      await sleep(RETRY_MS);
    }
  };
  const token = await ask(() => requestErc20(account, { key: 'token' }));
  if (token === null) return null;
  const shown = await waitForStatus(account, token, 'confirmed').catch((error: unknown) => {
    if (isOver()) return null;
    throw error;
  });
  if (!shown) return null;
  const ids: (string | null)[] = [];
  await inParallel(MINTS, WIDTH, async (place) => {
    const mint = { key: `mint ${place}`, prefer: 'respond-async' };
    ids[place] = isOver() ? null : await ask(() => requestMint(account, shown.contract, mint));
  });
  return { address: shown.contract, ids: [token, ...ids] };
}

/** A database that nobody has used in the place of that of a service, with what commands do their work with. */
export async function openUnusedDatabase({ environment }: Pick<TestService, 'environment'>) {
  await using opening = new AsyncDisposableStack();
  const database = opening.use(await createTestDatabase());
  const replaced = { DATABASE_URL: database.url };
  const config = readConfig([], { ...environment, ...replaced });
  const context = opening.use(await openAdminContext(config, () => undefined));
  const opened = opening.move();
  return { replaced, context, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** The same person, in the database that took the place of the one that is gone. */
async function registerAgain(mintmark: TestService, account: TestAccount): Promise<TestAccount> {
  const { email, password } = account;
  const inviteCode = `another ${email}`;
  await mintmark.service.context.accounts.ensureInvites([inviteCode]);
  const { data } = await mintmark.anonymous.POST('/v1/auth/register', {
    body: { email: email.toUpperCase(), password, inviteCode },
  });
  const { data: signedIn } = await mintmark.anonymous.POST('/auth/signin', { body: { email, password } });
  const { token } = signedIn!;
  return { ...account, id: data!.id, token, api: createMintmarkClient({ baseUrl: mintmark.url, token }) };
}

interface Burnt extends Pick<Outcome, 'flaws'> {
  judgement: Judgement;
  /** Effects on the chain when the database was gone. */
  done: number;
  /** Requests that had an answer then. */
  answered: number;
}

/**
 * Deletes the database of a service under load, without a backup, at a moment that is drawn. An empty one adopts the
 * Operator, all register again, and repeat all that they ever asked for under the same keys.
 */
export const burnDatabase = (random: Random): Promise<Burnt> =>
  withAnvil((anvil) => burnOn(anvil, random), { blockTimeSeconds: 0.25 });

async function burnOn(anvil: Anvil, random: Random): Promise<Burnt> {
  await using stack = new AsyncDisposableStack();
  const first = stack.use(await createTestDatabase());
  const mintmark = stack.use(
    await startTestService({ LOG_LEVEL: 'silent', DATABASE_URL: first.url }, { rpcUrl: anvil.url }),
  );
  const { operator } = mintmark.service.context.system;
  const accounts = await Promise.all(Array.from({ length: ACCOUNTS }, () => mintmark.register()));
  const all = ACCOUNTS * (1 + MINTS);
  let isGone = false;
  const asking = Promise.all(accounts.map((account) => askForAll(account, () => isGone)));
  const half = random.whole(ACCOUNTS, all - WIDTH * ACCOUNTS);
  while ((await countEffects(anvil, operator)) < half) await sleep(20);
  isGone = true;
  await first.drop();
  await mintmark.service.stop();
  const before = await asking;
  const done = await countEffects(anvil, operator);

  const { replaced, context } = stack.use(await openUnusedDatabase(mintmark));
  const refusal = await mintmark.restart(replaced).then(
    () => 'it started',
    (error: unknown) => String(error),
  );
  await adopt(context, operator);
  await mintmark.restart(replaced);
  const again = await Promise.all(accounts.map((account) => registerAgain(mintmark, account)));
  await query(mintmark.service.context.db, `update accounts set plan = 'PRO_PLUS'`);
  const after = (await Promise.all(again.map((account) => askForAll(account)))).map((asked) => asked!);
  const log = { ...emptyLog(), acknowledged: new Set(after.flatMap(({ ids }) => ids.map(String))) };
  const stage = { mintmark: { ...mintmark, databaseUrl: replaced.DATABASE_URL }, targets: [] };
  const judgement = await judgeStage({ ...stage, nodeUrl: anvil.url, log });
  const effects = await countEffects(anvil, operator);
  const answered = before.flatMap((asked, place) =>
    (asked?.ids ?? []).flatMap((id, index) => (id ? [[id, after[place]!.ids[index]] as const] : [])),
  );
  const moved = answered.filter(([id, now]) => now !== id).length;
  const strangers = again.filter(({ id }, place) => id !== accounts[place]!.id).length;
  const readdressed = before.filter(
    (asked, place) => asked && asked.address !== after[place]!.address,
  ).length;
  return {
    ...{ judgement, done, answered: answered.length },
    flaws: [
      ...(refusal.includes(`recover --adopt ${operator}`) ? [] : [`the start was not refused: ${refusal}`]),
      ...(effects === all ? [] : [`${effects} effects of ${all} keys`]),
      ...(judgement.confirmed === all ? [] : [`${judgement.confirmed} of ${all} confirmed`]),
      ...(moved === 0 ? [] : [`${moved} repeats have another intent than before`]),
      ...(strangers === 0 ? [] : [`${strangers} accounts have another id than before`]),
      ...(readdressed === 0 ? [] : [`${readdressed} tokens have another address than before`]),
    ],
  };
}

/** One service, node and database for each time. */
export const burntDatabase: Fault = async ({ scaled, random }) => {
  const times = scaled(20);
  const burnt: Burnt[] = [];
  for (let time = 0; time < times; time += 1) burnt.push(await burnDatabase(random));
  const sum = (name: 'done' | 'answered'): number => burnt.reduce((total, each) => total + each[name], 0);
  return {
    made: `${times} deletions, ${ACCOUNTS * (1 + MINTS)} requests each`,
    judgement: addJudgements(burnt.map(({ judgement }) => judgement)),
    note: `${sum('done')} effects kept, ${sum('answered')} answers again`,
    flaws: burnt.flatMap(({ flaws }, time) => flaws.map((flaw) => `time ${time + 1}: ${flaw}`)),
  };
};
