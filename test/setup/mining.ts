import type { openChain } from './chain.ts';

/**
 * Runs `work` while the chain makes no block before `mine` asks for one. From then on every transaction makes its block
 * at once again: what is stored may not have reached the node yet.
 */
export async function withoutBlocks(
  { provider }: ReturnType<typeof openChain>,
  work: (mine: () => Promise<void>) => Promise<void>,
): Promise<void> {
  await provider.send('evm_setAutomine', [false]);
  try {
    await work(async () => {
      await provider.send('evm_setAutomine', [true]);
      await provider.send('evm_mine', []);
    });
  } finally {
    await provider.send('evm_setAutomine', [true]);
    await provider.send('evm_mine', []);
  }
}

/** Puts code at an address that reverts each call with this reason, at most 32 bytes. */
export async function makeRevert(
  chain: Pick<ReturnType<typeof openChain>, 'provider'>,
  address: string,
  reason: string,
): Promise<void> {
  const word = (value: string): string => value.padStart(64, '0');
  const text = Buffer.from(reason);
  // Error(string): selector, offset, length, bytes.
  const data = `08c379a0${word('20')}${word(text.length.toString(16))}${text.toString('hex').padEnd(64, '0')}`;
  await makeRevertWith(chain, address, `0x${data}`);
}

/** Puts code at an address that reverts each call with these bytes, at most 255. */
export async function makeRevertWith(
  { provider }: Pick<ReturnType<typeof openChain>, 'provider'>,
  address: string,
  data: string,
): Promise<void> {
  const size = (data.length / 2 - 1).toString(16).padStart(2, '0');
  // codecopy(0, 12, size); revert(0, size)
  await provider.send('hardhat_setCode', [address, `0x60${size}600c60003960${size}6000fd${data.slice(2)}`]);
}
