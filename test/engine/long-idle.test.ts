import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import { waitForStatus } from '../../lab/stage/intents.ts';
import { deployToken, requestMint } from '../../lab/stage/tokens.ts';
import { startStand } from '../setup/stand.ts';
import type { Stand } from '../setup/stand.ts';
import { SHORT_TIMINGS } from './timings.ts';

const LONG_IDLE_MS = 500;

let stand: Stand;
afterEach(() => stand.stop());

/** A service that was idle for long while the chain made 1,000 blocks. Returns a function that mints. */
async function idle(confirmations: string): Promise<() => Promise<string>> {
  const timings = { ...SHORT_TIMINGS, longIdleMs: LONG_IDLE_MS, queueLookMs: 200 };
  stand = await startStand({}, { CONFIRMATIONS: confirmations }, { timings });
  const account = await stand.mintmark.register();
  const token = await deployToken(account);
  await stand.anvil.call('anvil_mine', ['0x5']);
  await stand.waitForRow(`select 1 from transactions having bool_and(status = 'final')`);
  await sleep(LONG_IDLE_MS + 300);
  await stand.anvil.call('anvil_mine', ['0x3e8']);
  return async () => {
    const { intentId } = await requestMint(account, token, { prefer: 'respond-async' });
    await waitForStatus(account, intentId!, 'confirmed');
    return intentId!;
  };
}

describe('a write after a long idle time', () => {
  test('has its verdict without the blocks between', async () => {
    const mint = await idle('3');
    const { calls } = stand.proxy.endpoint;
    const before = calls['eth_getBlockByNumber'] ?? 0;
    await mint();
    expect(calls['eth_getBlockByNumber']! - before).toBeLessThan(50);
  });

  test('has it when its block is final before the chain is looked at, too', async () => {
    const mint = await idle('1');
    const { calls } = stand.proxy.endpoint;
    const before = { ...calls };
    const isSent = (): boolean => calls['eth_sendRawTransaction'] !== before['eth_sendRawTransaction'];
    // Heads come late, so that the transaction is mined by then.
    stand.proxy.options.before = async (method) => {
      for (let look = 0; look < 30 && method === 'eth_getBlockByNumber' && !isSent(); look += 1)
        await sleep(50);
      if (method === 'eth_getBlockByNumber') await sleep(100);
    };
    const intent = await mint();
    expect(calls['eth_getBlockByNumber']! - before['eth_getBlockByNumber']!).toBeLessThan(50);
    const rows = await stand.waitForRow(
      `select t.status from transactions t join transaction_intents m on m.transaction_id = t.id
         join intents i on i.number = m.intent_number where i.id = '${intent}'`,
    );
    expect(rows).toEqual([{ status: 'final' }]);
  });

  test('has it in a process that starts after the idle time, too', async () => {
    const mint = await idle('3');
    const { calls } = stand.proxy.endpoint;
    const before = calls['eth_getBlockByNumber'] ?? 0;
    await stand.mintmark.restart();
    await mint();
    expect(calls['eth_getBlockByNumber']! - before).toBeLessThan(100);
  });
});
