import { setTimeout as sleep } from 'node:timers/promises';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import type { Anvil } from '../../lab/stage/anvil.ts';
import { headOf } from './attacker.ts';
import { measureFlood, profileOf, workFigure } from './others.ts';
import type { Attack } from './outcome.ts';
import { checkStatuses, showStatuses, withStage } from './stage.ts';

const LOGS = 50_000;
const LOGGER = '0x00000000000000000000000000000000000109e5';
/**
 * Writes as many logs as its calldata says: calldataload; loop: jumpdest log0 push1 1 swap1 sub dup1 push1 loop jumpi.
 */
const LOGGER_CODE = '0x5f355b5f5fa0600190038060025700';
const GAS = 25_000_000;
const MAX_PAGE_KIB = 1_024;

/** Sends the transaction, whose sender is nobody of the service. Returns its hash once it is mined. */
async function writeLogs(anvil: Anvil): Promise<string> {
  await anvil.call('anvil_setCode', [LOGGER, LOGGER_CODE]);
  const hash = await anvil.call<string>('eth_sendTransaction', [
    {
      from: embeddedAccounts[5].address,
      to: LOGGER,
      data: `0x${LOGS.toString(16).padStart(64, '0')}`,
      gas: `0x${GAS.toString(16)}`,
    },
  ]);
  for (let look = 0; look < 200; look += 1) {
    const receipt = await anvil.call<{ logs: unknown[] } | null>('eth_getTransactionReceipt', [hash]);
    if (receipt?.logs.length === LOGS) return hash;
    if (receipt) throw new Error(`the transaction has ${receipt.logs.length} logs`);
    await sleep(100);
  }
  throw new Error('the transaction with the logs was not mined');
}

/** The page of a transaction with more logs than anybody reads, by callers without a credential. */
export const heavyPages: Attack = () =>
  withStage({ node: { blockTimeSeconds: 1, gasLimit: 60_000_000 } }, async (stage) => {
    const [connections, forMs] = [5, 15_000];
    const other = await stage.register();
    const page = `/explorer/tx/${await writeLogs(stage.anvil)}`;
    const flood = { connections, forMs, head: headOf(`GET ${page}`), body: '' };
    const measured = await measureFlood(stage, profileOf(stage, other), flood);
    const { figure, flaws, result, cpuSeconds } = measured;
    const answer = await fetch(stage.url + page);
    const kib = (await answer.text()).length / 1_024;
    return {
      made: `${connections} connections, a page of ${LOGS.toLocaleString('en')} logs: ${showStatuses(result.statuses)}`,
      figures: [
        {
          what: 'the page, KiB',
          ...{ before: null, during: answer.ok ? kib : NaN, bound: MAX_PAGE_KIB },
        },
        workFigure(cpuSeconds, result.statuses, 50),
        figure,
      ],
      flaws: [...flaws, ...checkStatuses(result.statuses, [200, 413, 429, 503, 'none', 'open'])],
    };
  });
