import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { getAddress } from 'ethers';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { startEmbeddedChain } from '../../src/embedded/chain.ts';
import type { EmbeddedChain } from '../../src/embedded/chain.ts';
import { findFreePort } from '../../src/embedded/free-port.ts';
import { startHardhatNode } from '../setup/hardhat-node.ts';
import { operatorOf } from '../../lab/stage/system.ts';

const [, ADMIN, YOU] = embeddedAccounts;
const OPERATOR = operatorOf(ADMIN.address);

let chain: EmbeddedChain;
let freePort: number;

beforeAll(async () => {
  [chain, freePort] = await Promise.all([startEmbeddedChain({ port: 0, log: () => {} }), findFreePort()]);
});

afterAll(async () => {
  await chain?.stop();
});

interface Ended {
  code: number;
  output: string;
  errors: string;
}

/** Runs the console with these arguments and this input. No `npm start` listens at its default port. */
async function run(args: readonly string[], input = ''): Promise<Ended> {
  const child = spawn(process.execPath, ['scripts/contracts-console.ts', ...args], {
    env: { ...process.env, EMBEDDED_CHAIN_PORT: String(freePort) },
  });
  child.stdin.end(input);
  const [[code], output, errors] = await Promise.all([
    once(child, 'close') as Promise<[number]>,
    text(child.stdout),
    text(child.stderr),
  ]);
  return { code, output: output.trim(), errors: errors.trim() };
}

const here = (...args: string[]): string[] => ['--network', chain.url, ...args];

describe('npm run contracts:console', () => {
  test('deploys the system and has its contracts by name', async () => {
    const answer = await run(here('--eval', 'operator.intentDone(1n)'));
    expect(answer).toEqual({ code: 0, output: 'false', errors: '' });
    const again = await run(here('--eval', '[operator.target, you.address, admin.address].join()'));
    expect(again.output.split(',').map(getAddress)).toEqual([OPERATOR, YOU.address, ADMIN.address]);
  });

  test('runs commands from a pipe: makes tokens, opens them by address, mints', async () => {
    const { code, output, errors } = await run(
      here(),
      `const coin = await createToken({ name: 'Gold', symbol: 'AU', decimals: 2n });
       for (const amount of [1n, 2n, 4n]) await coin.mint(you.address, amount);
       const art = await createCollection({ name: 'Art' });
       await art.mint(you.address);
       console.log(await erc20(coin.target).balanceOf(you.address), await erc20(coin.target).name());
       return [await erc721(art.target).ownerOf(1n), (await coin.tokenState()).owner];`,
    );
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    expect(output).toMatch(/^7n Gold\n\[/);
    expect(output.match(/0x\w{40}/g)).toEqual([YOU.address, YOU.address]);
  });

  test('its account executes through the Operator', async () => {
    const { output } = await run(
      here(),
      `const art = await createCollection({ name: 'Art' });
       const data = art.interface.encodeFunctionData('mint', [you.address]);
       const call = { target: art.target, gasCap: 200_000n, number: 2n ** 63n, data };
       await (await operator.execute(await operator.epoch(), [call])).wait();
       const intent = ((await operator.epoch()) << 64n) | call.number;
       return [await art.balanceOf(you.address), await operator.intentDone(intent)].join();`,
    );
    expect(output).toBe('1,true');
  });

  test('of several statements the value of the last one is shown', async () => {
    const shown = async (code: string): Promise<string> => {
      const { output, errors } = await run(here('--eval', code));
      return errors || output;
    };
    expect(await shown('const { chainId } = await provider.getNetwork(); chainId + 1n')).toBe('31338n');
    expect(await shown('let sum = 0; for (const part of [1, 2]) sum += part; sum; // done')).toBe('3');
    expect(await shown("const text = 'a;b'; await Promise.resolve(`${text};c`);")).toBe('a;b;c');
    expect(await shown('const unseen = 1;')).toBe('');
    expect(await shown("'a'\n'b'")).toBe('b');
    expect(await shown('if (await operator.intentDone(1n)) return 1; return 2')).toBe('2');
    expect(await shown('({ a: 1 })')).toBe('{ a: 1 }');
  });

  test('an error ends it with exit code 1 and one sentence', async () => {
    const refused = await run(here('--eval', 'operator.adminExecute(descriptor.target, "0x")'));
    expect(refused).toMatchObject({ code: 1, output: '' });
    expect(refused.errors).toMatch(/^The call reverted: AccessControlUnauthorizedAccount\(0x3C44/);
    expect(await run(here(), 'nonsense')).toMatchObject({ code: 1, errors: 'nonsense is not defined' });
    expect(await run(here(), 'const = 3')).toMatchObject({ code: 1, output: '' });
    expect(await run(['--nonsense'])).toMatchObject({ code: 1, output: '' });
    expect(await run(['--network', `http://127.0.0.1:${freePort}`, '--eval', '1'])).toEqual({
      code: 1,
      output: '',
      errors: `No chain answers at http://127.0.0.1:${freePort}.`,
    });
  });

  test('without a chain it starts one', async () => {
    const { code, output } = await run(['--eval', 'provider.getBlockNumber()']);
    expect(code).toBe(0);
    expect(Number(output)).toBeGreaterThan(5);
  });

  test('sends nothing when it does not have the key of the admin', async () => {
    const stranger = embeddedAccounts[3].address;
    const missing = await run(here('--admin', stranger, '--eval', '1'));
    expect(missing).toMatchObject({ code: 1, output: '' });
    expect(missing.errors).toContain(`has no Operator of the admin ${stranger}`);
  });

  test('works on the node of `npx hardhat node`', async () => {
    await using node = await startHardhatNode();
    const answer = await run(['--network', node.url, '--eval', 'operator.getAddress()']);
    expect(getAddress(answer.output)).toBe(OPERATOR);
  });
});
