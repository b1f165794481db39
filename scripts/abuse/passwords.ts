import { headOf } from './attacker.ts';
import { measureFlood, showWork, signInOf } from './others.ts';
import type { Attack, Outcome } from './outcome.ts';
import { checkStatuses, showStatuses, withStage } from './stage.ts';
import type { Client, Stage } from './stage.ts';

const CONNECTIONS = 320;
const FOR_MS = 20_000;
/** Ten times as many tries as are hashed on a core. */
const PAUSE_MS = 1_000;
/** So many that none of them signs in too often. */
const OTHERS = 8;

interface PasswordFlood {
  route: string;
  body: Record<string, string>;
  /** Statuses that it may be answered with. */
  expected: number[];
}

/** Sends passwords over all connections, each from an address of its own. */
async function floodPasswords(stage: Stage, { route, body, expected }: PasswordFlood): Promise<Outcome> {
  const others: Client[] = [];
  while (others.length < OTHERS) others.push(await stage.register());
  const text = JSON.stringify(body);
  const head = headOf(route, { bytes: Buffer.byteLength(text) });
  const flood = { connections: CONNECTIONS, forMs: FOR_MS, pauseMs: PAUSE_MS, head, body: text };
  const measured = await measureFlood(stage, signInOf(stage, others), flood);
  const { figure, flaws, result, cpuSeconds } = measured;
  return {
    made: `${CONNECTIONS} connections and addresses, a try a second each: ${showStatuses(result.statuses)}; ${showWork(cpuSeconds, FOR_MS)}`,
    figures: [figure],
    flaws: [...flaws, ...checkStatuses(result.statuses, [...expected, 429, 'none', 'open'])],
  };
}

/** Sign-ins of one account with its right password. */
export const signIns: Attack = () =>
  withStage({}, async (stage) => {
    const { email, password } = await stage.register();
    return await floodPasswords(stage, {
      ...{ route: 'POST /auth/signin', body: { email, password }, expected: [200] },
    });
  });

/** Registrations with a good invite, and an e-mail that is taken. */
export const takenEmails: Attack = () =>
  withStage({}, async (stage) => {
    const { email, password } = await stage.register();
    return await floodPasswords(stage, {
      route: 'POST /v1/auth/register',
      body: { email, password, inviteCode: stage.invite() },
      expected: [409, 422],
    });
  });
