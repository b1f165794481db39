import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { encodeExecution } from '../../src/chain/abi/execution.ts';
import { OPERATOR } from '../../src/chain/abi/interfaces.ts';
import { encodeErc20Mint } from '../../src/chain/abi/mint.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { deployTargets } from '../../lab/load/load.ts';
import { waitForStatus } from '../../lab/stage/intents.ts';
import { startStand } from '../setup/stand.ts';
import type { Stand } from '../setup/stand.ts';
import { RECIPIENT, requestMint } from '../../lab/stage/tokens.ts';

/* Somebody else has the key of an executor, and marks the number of an intent that is sent, under its key. */

const THIEF: Hex = `0x${'bad0'.repeat(10)}`;
const LIAR: Hex = `0x${'1a12'.repeat(10)}`;
/** Returns 2^256 - 1 and 1: a mask of all rows, and the first id. */
const ALL_DONE = '0x5f195f52600160205260405ff3';

let stand: Stand;
afterEach(() => stand.stop());

/** Code that calls an address with this calldata, whatever it is called with itself. */
function forward(to: Hex, calldata: Hex): Hex {
  const length = ((calldata.length - 2) / 2).toString(16).padStart(4, '0');
  // codecopy(0, 43, length); pop(call(gas(), to, 0, 0, length, 0, 0)); stop()
  const code = `61${length}80602b5f395f5f915f5f73${to.slice(2)}5af1505b00`;
  return `0x${code.padEnd(2 * 43, '0')}${calldata.slice(2)}`;
}

test.each([
  ['another call than the input says, by code of the account of the executor (EIP-7702)', 'claim'],
  ['another call, beside one whose gas cap nobody can write', 'huge-cap'],
  ['rows of a contract of the thief, which answers that all are done', 'rows'],
] as const)(
  'an intent whose number did %s has no second effect, and its account is told',
  async (_name, way) => {
    stand = await startStand({ blockTimeSeconds: 0.25 }, { MAX_IN_FLIGHT: '1' });
    const { anvil, mintmark, proxy, quiet, waitForRow } = stand;
    const [target] = await deployTargets([await mintmark.register()]);
    const { account, address } = target!;
    const { system } = mintmark.service.context;
    await quiet();
    const readUsed = async () => (await account.api.GET('/stats')).data!.mintsUsed;
    const used = await readUsed();
    proxy.options.faultFor = (method) => (method === 'eth_sendRawTransaction' ? 'withhold' : null);
    const { intentId } = await requestMint(account, address, { amount: '2', prefer: 'respond-async' });
    const [row] = await waitForRow<{ number: bigint }>(
      `select number from intents where status = 'submitted'`,
    );
    const { number } = row!;
    const key = BigInt(`0x${intentId!.replaceAll('-', '').slice(0, 16)}`);
    const call = (to: Hex, amount: bigint) => ({
      ...{ target: address.toLowerCase() as Hex, gasCap: 200_000, number, key },
      data: encodeErc20Mint(to, amount),
    });
    const write = (...calls: ReturnType<typeof call>[]): Hex => encodeExecution(1n, calls);
    const [signer, stranger] = [embeddedAccounts[0].address, embeddedAccounts[5].address];
    if (way === 'claim') {
      await anvil.call('anvil_setCode', [signer, forward(system.operator, write(call(THIEF, 5n)))]);
      await send(stranger, signer, write(call(RECIPIENT.toLowerCase() as Hex, 2n)));
      await anvil.call('anvil_setCode', [signer, '0x']);
    } else if (way === 'rows') {
      await anvil.call('anvil_setCode', [LIAR, ALL_DONE]);
      const rows = [LIAR, 100_000, number - (number % 256n), 1n << (number % 256n), 0, 0, '0x'];
      await anvil.call('anvil_impersonateAccount', [signer]);
      await send(signer, system.operator, OPERATOR.encodeFunctionData('executeRows', [1, rows]) as Hex);
    } else {
      const wordOf = (value: bigint) => value.toString(16).padStart(64, '0');
      const [cap, huge] = [wordOf(0x123456n), wordOf(1n << 56n)];
      const calldata = write(call(THIEF, 5n), { ...call(THIEF, 5n), number: number + 1n, gasCap: 0x123456 });
      expect(calldata.split(cap)).toHaveLength(2);
      await anvil.call('anvil_impersonateAccount', [signer]);
      await send(signer, system.operator, calldata.replace(cap, huge) as Hex);
    }
    proxy.options.faultFor = () => null;

    async function send(from: string, to: string, data: Hex): Promise<void> {
      const hash = await anvil.call<Hex>('eth_sendTransaction', [{ from, to, data, gas: '0xf4240' }]);
      for (let tries = 0; tries < 200; tries += 1) {
        const receipt = await anvil.call<{ logs: object[] } | null>('eth_getTransactionReceipt', [hash]);
        if (receipt) return void expect(receipt.logs.length).toBeGreaterThan(0);
        await anvil.call('evm_mine');
      }
      throw new Error('the transaction is not mined');
    }

    // The event of rows tells no key: it is none of an intent.
    if (way === 'rows') {
      while ((await fetch(`${mintmark.url}/ready`)).status === 200) await sleep(100);
      return;
    }
    await waitForStatus(account, intentId!, 'failed');
    const { data } = await account.api.GET('/intents/{id}', { params: { path: { id: intentId! } } });
    expect(data!.error).toMatchObject({ code: 'CHAIN_ERROR', message: expect.stringContaining('ask again') });
    expect(await readUsed()).toBe(used);
  },
);
