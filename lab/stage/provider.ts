import { JsonRpcProvider } from 'ethers';
import type { JsonRpcApiProviderOptions } from 'ethers';

/** ethers, directly at a node. */
export function openProvider(
  url: string,
  options: JsonRpcApiProviderOptions = {},
): JsonRpcProvider & Disposable {
  const provider = new JsonRpcProvider(url, undefined, { staticNetwork: true, ...options });
  return Object.assign(provider, { [Symbol.dispose]: () => provider.destroy() });
}
