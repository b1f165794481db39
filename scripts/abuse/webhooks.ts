import { setTimeout as sleep } from 'node:timers/promises';
import { query } from '../../src/db/client.ts';
import { inParallel } from '../../lab/load/load.ts';
import { startReceiver } from '../../lab/stage/receiver.ts';
import type { Receiver } from '../../lab/stage/receiver.ts';
import { RECIPIENT } from '../../lab/stage/tokens.ts';
import type { TestAnswer } from '../../lab/stage/tokens.ts';
import { createTally } from './gas.ts';
import type { Attack } from './outcome.ts';
import { checkStatuses, createKey, deploy, quiet, showStatuses, withStage } from './stage.ts';
import type { Caller, Client, Stage } from './stage.ts';

const ATTACKERS = 3;
const WEBHOOKS = 10;
/** Of each webhook. */
const TESTS = 20;
/** Of each account: all its webhooks are sent each of its verdicts. */
const VERDICTS = 20;
const DELIVERIES = 3;
const LOOK_MS = 5;
/** Who waits longer is not served. */
const MAX_WAIT_MS = 60_000;
const MAX_DELIVERY_MS = 5_000;
const MAX_TESTS_PER_MINUTE = 30;
/** Each is told to ten webhooks. */
const SANDBOX_MINTS = 10_000;
const TIMED = 40;
const MAX_P95_MS = 200;
const MAX_WAITING = 5_000;
/** Four that run, the next one, and one for a later time. */
const MAX_JOBS = 6;

async function createWebhook({ ask }: Stage, client: Caller, url: string): Promise<string> {
  const { status, body } = await ask(client, 'POST', '/v1/webhooks', { url });
  if (status !== 201) throw new Error(`a webhook was answered ${status}: ${JSON.stringify(body)}`);
  return (body as { id: string }).id;
}

/** A write that changes nothing, so its answer is its verdict. It is free. */
const verdict = ({ ask }: Stage, client: Client, token: string): Promise<TestAnswer> =>
  ask(client, 'POST', `/tokens/${token}/unpause`);

/** Milliseconds from a verdict to its message, of several, one after the other; the shortest first. */
async function timeDeliveries(
  stage: Stage,
  { client, token, times }: { client: Client; token: string; times: number },
  { received }: Receiver,
): Promise<number[]> {
  const count = (): number => received.filter(({ path }) => path === 'answers').length;
  const taken: number[] = [];
  while (taken.length < times) {
    const known = count();
    const began = performance.now();
    await verdict(stage, client, token);
    while (count() === known && performance.now() - began < MAX_WAIT_MS) await sleep(LOOK_MS);
    taken.push(count() > known ? performance.now() - began : Infinity);
  }
  return taken.sort((one, other) => one - other);
}

/** Test messages to receivers that take them and never answer. */
export const hangingReceivers: Attack = () =>
  withStage({ variables: { WEBHOOK_ALLOW_PRIVATE: 'true' } }, async (stage) => {
    await using receiver = await startReceiver();
    receiver.answer((response, { path }) => {
      if (path === 'answers') response.writeHead(204).end();
    });
    const other = await stage.register();
    const token = await deploy(stage, other);
    await quiet(stage);
    await createWebhook(stage, other, receiver.urlOf('answers'));
    const measured = { client: other, token, times: DELIVERIES };
    const before = (await timeDeliveries(stage, measured, receiver)).at(-1)!;
    const { statuses, add } = createTally();
    for (let made = 0; made < ATTACKERS; made += 1) {
      const client = await stage.register();
      const own = await deploy(stage, client);
      const ids: string[] = [];
      while (ids.length < WEBHOOKS) ids.push(await createWebhook(stage, client, receiver.urlOf('hangs')));
      await inParallel(WEBHOOKS * TESTS, 10, async (index) =>
        add(await stage.ask(client, 'POST', `/v1/webhooks/${ids[index % WEBHOOKS]!}/test`)),
      );
      for (let count = 0; count < VERDICTS; count += 1) await verdict(stage, client, own);
    }
    const during = (await timeDeliveries(stage, measured, receiver)).at(-1)!;
    return {
      made: `${ATTACKERS} accounts, ${WEBHOOKS} webhooks and ${VERDICTS} verdicts each, tests: ${showStatuses(statuses)}`,
      figures: [
        {
          what: 'another’s message after its verdict, slowest, ms',
          ...{ before, during, bound: MAX_DELIVERY_MS },
        },
        {
          what: 'tests taken of an account in a minute',
          ...{ before: null, during: (statuses['201'] ?? 0) / ATTACKERS },
          bound: MAX_TESTS_PER_MINUTE,
        },
      ],
      flaws: checkStatuses(statuses, [201, 429]),
    };
  });

/** Free writes to the sandbox of an account with ten webhooks, which take their messages slowly. */
export const webhookBacklog: Attack = () =>
  withStage({ variables: { WEBHOOK_ALLOW_PRIVATE: 'true' } }, async (stage) => {
    await using receiver = await startReceiver();
    receiver.answer((response, { path }) => {
      setTimeout(() => response.writeHead(204).end(), path === 'answers' ? 0 : 100);
    });
    const other = await stage.register();
    const token = await deploy(stage, other);
    await quiet(stage);
    await createWebhook(stage, other, receiver.urlOf('answers'));
    const measured = { client: other, token, times: TIMED };
    const before = await timeDeliveries(stage, measured, receiver);
    const key = (await createKey(stage, await stage.register(), 'sandbox'))!;
    const { body } = await stage.ask(key, 'POST', '/v1/collections', { name: 'Art', symbol: 'A' });
    const { address } = body as { address: string };
    for (let made = 0; made < WEBHOOKS; made += 1) await createWebhook(stage, key, receiver.urlOf('takes'));
    const { statuses, add } = createTally();
    await inParallel(SANDBOX_MINTS, 20, async () =>
      add(await stage.ask(key, 'POST', `/v1/collections/${address}/mint`, { to: RECIPIENT })),
    );
    const during = await timeDeliveries(stage, measured, receiver);
    const [left] = await query<{ waiting: number; jobs: number }>(
      stage.db,
      `select (select count(*)::int from webhook_deliveries where status = 'pending') as waiting,
              (select count(*)::int from graphile_worker.jobs where task_identifier = 'deliver-webhook') as jobs`,
    );
    const at = (times: number[], part: number): number => times[Math.floor(times.length * part)]!;
    return {
      made: `${SANDBOX_MINTS} mints of a sandbox with ${WEBHOOKS} webhooks: ${showStatuses(statuses)}`,
      figures: [
        {
          what: 'another’s message after its verdict, p50, ms',
          ...{ before: at(before, 0.5), during: at(during, 0.5), bound: MAX_P95_MS },
        },
        {
          what: 'the same, p95, ms',
          ...{ before: at(before, 0.95), during: at(during, 0.95), bound: MAX_P95_MS },
        },
        {
          what: 'messages that wait',
          before: null,
          during: left!.waiting,
          bound: MAX_WAITING,
        },
        { what: 'jobs', before: null, during: left!.jobs, bound: MAX_JOBS },
      ],
      flaws: checkStatuses(statuses, [201, 429]),
    };
  });
