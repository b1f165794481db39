import { setTimeout as sleep } from 'node:timers/promises';
import { query } from '../../src/db/client.ts';
import { inParallel } from '../../lab/load/load.ts';
import { createTally, heavyMetadata } from './gas.ts';
import { measureHarm, profileOf, timeOthers } from './others.ts';
import type { Attack } from './outcome.ts';
import { ASYNC, checkStatuses, deploy, quiet, showStatuses, withStage } from './stage.ts';
import type { Client, Stage } from './stage.ts';

const BLOCK_SECONDS = 4;
/** More than fills a minute's blocks. */
const WRITES = 650;
/** So long does a probe of a load balancer look on. */
const LOOK_MS = 100_000;
/** What another's mint may wait for beside the attack. */
const MAX_DELAY_BLOCKS = 3;
const RECIPIENT = '0x3440326f551B8A7ee198cEE35cb5D517f2d296a2';

/** As `accounts set-gas` of the operator. */
const setGas = ({ db }: Stage, { email }: Client, gas: number): Promise<unknown> =>
  query(db, 'update accounts set gas_per_day = :gas where email = :email', { gas, email });

/** Milliseconds until a mint is confirmed; the longest of several, one after the other. */
async function slowestMint({ ask }: Stage, client: Client, token: string, mints: number): Promise<number> {
  let slowest = 0;
  for (let mint = 0; mint < mints; mint += 1) {
    const began = performance.now();
    const { status } = await ask(client, 'POST', `/tokens/${token}/mint`, { owner: RECIPIENT, amount: '1' });
    slowest = Math.max(slowest, status === 200 ? performance.now() - began : Infinity);
  }
  return slowest;
}

/** Free writes that fill blocks for minutes, of an account that has the gas for them. */
export const longQueue: Attack = () =>
  withStage({ node: { blockTimeSeconds: BLOCK_SECONDS } }, async (stage) => {
    const [other, own] = [await stage.register(), await stage.register()];
    await setGas(stage, own, 10_000_000_000);
    const [mine, token] = await Promise.all([deploy(stage, other), deploy(stage, own)]);
    await quiet(stage);
    const ready = async (): Promise<number> => (await fetch(`${stage.url}/ready`)).status;
    const probe = { everyMs: 500, ask: ready };
    const before = await timeOthers(probe, sleep(5_000));
    const mintBefore = await slowestMint(stage, other, mine, 2);
    const { statuses, add } = createTally();
    const looking = timeOthers(probe, sleep(LOOK_MS));
    await inParallel(WRITES, 20, async (index) =>
      add(await stage.ask(own, 'PUT', `/tokens/${token}/metadata`, heavyMetadata(index), ASYNC)),
    );
    const mintDuring = await slowestMint(stage, other, mine, 5);
    const during = await looking;
    const [left] = await query<{ open: number }>(
      stage.db,
      `select count(*)::int as open from intents where status = 'queued'`,
    );
    return {
      made: `${WRITES} writes of 8 KB, ${BLOCK_SECONDS} s blocks: ${showStatuses(statuses)}; ${left!.open} queued after ${LOOK_MS / 1_000} s`,
      figures: [
        {
          what: '`GET /ready` other than 200',
          ...{ before: before.refused, during: during.refused, bound: 0 },
        },
        {
          what: 'another’s mint until it is confirmed, slowest, ms',
          ...{ before: mintBefore, during: mintDuring },
          bound: mintBefore + MAX_DELAY_BLOCKS * BLOCK_SECONDS * 1_000,
        },
      ],
      flaws: [
        ...checkStatuses(statuses, [202]),
        ...(left!.open > 0 ? [] : ['the queue was not long enough to show anything']),
      ],
    };
  });

/** Writes while the chain makes no block, so that all of them stay open. */
export const openIntents: Attack = () =>
  withStage({}, async (stage) => {
    const [most, beyond] = [10_000, 500];
    const [other, own] = [await stage.register(), await stage.register()];
    await setGas(stage, own, 10_000_000_000);
    const token = await deploy(stage, own);
    await quiet(stage);
    await stage.anvil.call('evm_setIntervalMining', [0]);
    const { statuses, add } = createTally();
    const { figure, flaws } = await measureHarm(stage, profileOf(stage, other), () =>
      inParallel(most + beyond, 20, async (index) =>
        add(
          await stage.ask(
            own,
            'PUT',
            `/tokens/${token}/metadata`,
            { name: `${index}`, description: 'd' },
            ASYNC,
          ),
        ),
      ),
    );
    const [count] = await query<{ open: number }>(
      stage.db,
      `select count(*)::int as open from intents where status in ('queued', 'submitted')`,
    );
    await stage.anvil.call('evm_setIntervalMining', [1]);
    return {
      made: `${most + beyond} writes without a block: ${showStatuses(statuses)}`,
      figures: [
        {
          what: 'open intents of one account',
          before: 0,
          during: count!.open,
          bound: most,
        },
        figure,
      ],
      flaws: [...flaws, ...checkStatuses(statuses, [202, 429])],
    };
  });
