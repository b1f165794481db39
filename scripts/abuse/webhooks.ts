import { setTimeout as sleep } from 'node:timers/promises';
import { inParallel } from '../../test/faults/load.ts';
import { startReceiver } from '../../test/setup/receiver.ts';
import type { Receiver } from '../../test/setup/receiver.ts';
import type { TestAnswer } from '../../test/setup/tokens.ts';
import { createTally } from './gas.ts';
import type { Attack } from './outcome.ts';
import { checkStatuses, deploy, quiet, showStatuses, withStage } from './stage.ts';
import type { Client, Stage } from './stage.ts';

const ATTACKERS = 3;
const WEBHOOKS = 10;
/** Of each webhook. */
const TESTS = 20;
/** Of each account: all its webhooks are sent each of its verdicts. */
const VERDICTS = 20;
const DELIVERIES = 3;
const LOOK_MS = 20;
/** Who waits longer is not served. */
const MAX_WAIT_MS = 60_000;
const MAX_DELIVERY_MS = 5_000;
const MAX_TESTS_PER_MINUTE = 30;

async function createWebhook({ ask }: Stage, client: Client, url: string): Promise<string> {
  const { status, body } = await ask(client, 'POST', '/v1/webhooks', { url });
  if (status !== 201) throw new Error(`a webhook was answered ${status}: ${JSON.stringify(body)}`);
  return (body as { id: string }).id;
}

/** A write that changes nothing, so its answer is its verdict. It is free. */
const verdict = ({ ask }: Stage, client: Client, token: string): Promise<TestAnswer> =>
  ask(client, 'POST', `/tokens/${token}/unpause`);

/** Milliseconds from a verdict to its message; the longest of several, one after the other. */
async function slowestDelivery(
  stage: Stage,
  client: Client,
  token: string,
  { received }: Receiver,
): Promise<number> {
  const count = (): number => received.filter(({ path }) => path === 'answers').length;
  let slowest = 0;
  for (let delivery = 0; delivery < DELIVERIES; delivery += 1) {
    const known = count();
    const began = performance.now();
    await verdict(stage, client, token);
    while (count() === known && performance.now() - began < MAX_WAIT_MS) await sleep(LOOK_MS);
    slowest = Math.max(slowest, count() > known ? performance.now() - began : Infinity);
  }
  return slowest;
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
    const before = await slowestDelivery(stage, other, token, receiver);
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
    const during = await slowestDelivery(stage, other, token, receiver);
    return {
      made: `${ATTACKERS} accounts, ${WEBHOOKS} webhooks and ${VERDICTS} verdicts each, tests: ${showStatuses(statuses)}`,
      figures: [
        {
          what: 'another’s message after its verdict, slowest, ms',
          ...{ first: null, before, during, bound: MAX_DELIVERY_MS },
        },
        {
          what: 'tests taken of an account in a minute',
          ...{ first: 'without limit', before: null, during: (statuses['201'] ?? 0) / ATTACKERS },
          bound: MAX_TESTS_PER_MINUTE,
        },
      ],
      flaws: checkStatuses(statuses, [201, 429]),
    };
  });
