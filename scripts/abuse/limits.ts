import { query } from '../../src/db/client.ts';
import { inParallel } from '../../lab/load/load.ts';
import { createTally } from './gas.ts';
import type { Attack } from './outcome.ts';
import { checkStatuses, createKey, showStatuses, withStage } from './stage.ts';
import type { Caller, Stage } from './stage.ts';

/** Requests with as many keys of one account as it can have. */
export const manyKeys: Attack = () =>
  withStage({ variables: { REQUESTS_PER_MINUTE: '600' } }, async (stage) => {
    const [wanted, maxKeys, requests, maxRequests] = [30, 20, 1_200, 600];
    const began = performance.now();
    const own = await stage.register();
    const keys: Caller[] = [];
    for (let made = 0; made < wanted; made += 1) {
      const key = await createKey(stage, own);
      if (key) keys.push(key);
    }
    const { statuses, add } = createTally();
    await inParallel(requests, 20, async (index) =>
      add(await stage.ask(keys[index % keys.length]!, 'GET', '/v1/collections')),
    );
    // On a busy machine it takes more than a minute.
    const minutes = 1 + Math.floor((performance.now() - began) / 60_000);
    return {
      made: `${wanted} keys asked for, ${requests} requests with them in turn: ${showStatuses(statuses)}`,
      figures: [
        { what: 'keys', before: null, during: keys.length, bound: maxKeys },
        {
          what: `requests served, at ${maxRequests} a minute`,
          ...{ before: null, during: statuses['200'] ?? 0 },
          bound: maxRequests * minutes,
        },
      ],
      flaws: checkStatuses(statuses, [200, 429]),
    };
  });

const MAX_SANDBOX_WRITES = 10_000;
/** One write of 128 is followed by a trim: that none of 1,280 is happens once in twenty thousand runs. */
const MAX_UNTRIMMED = 1_280;

async function countSandbox({ db }: Stage): Promise<number> {
  const [row] = await query<{ count: number }>(
    db,
    `select count(*)::int as count from intents where environment = 'sandbox'`,
  );
  return row!.count;
}

/** Writes of the sandbox, which cost nothing and are kept. */
export const sandboxWrites: Attack = () =>
  withStage({}, async (stage) => {
    const beyond = 2_500;
    const own = await stage.register();
    const key = (await createKey(stage, own, 'sandbox'))!;
    const { body } = await stage.ask(key, 'POST', '/v1/collections', { name: 'Art', symbol: 'A' });
    const { address } = body as { address: string };
    const { statuses, add } = createTally();
    await inParallel(MAX_SANDBOX_WRITES + beyond, 20, async (index) =>
      add(
        await stage.ask(key, 'PUT', `/v1/collections/${address}/metadata`, {
          name: `${index}`,
          description: 'd',
        }),
      ),
    );
    // The write that made the collection is kept as long as the collection.
    const bound = MAX_SANDBOX_WRITES + 1 + MAX_UNTRIMMED;
    return {
      made: `${MAX_SANDBOX_WRITES + beyond} writes: ${showStatuses(statuses)}`,
      figures: [
        {
          what: 'writes of one account kept',
          ...{ before: 0, during: await countSandbox(stage), bound },
        },
      ],
      flaws: checkStatuses(statuses, [200, 429]),
    };
  });
