import { JsonRpcProvider } from 'ethers';
import type { JsonRpcApiProviderOptions, Subscriber, Subscription } from 'ethers';

/** How often a receipt is asked for. */
const RECEIPT_MS = 100;

/**
 * Asks for a receipt until there is one. ethers looks for it once, and again with each new block: where blocks come
 * with transactions alone, what was mined in between is waited for without an end.
 */
function createReceiptSubscriber(provider: JsonRpcProvider, hash: string): Subscriber {
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => clearInterval(timer);
  const ask = async (): Promise<void> => {
    const receipt = await provider.getTransactionReceipt(hash).catch(() => null);
    if (receipt) await provider.emit(hash, receipt);
  };
  const start = (): void => {
    timer = setInterval(() => void ask(), RECEIPT_MS);
  };
  return { start, stop, pause: stop, resume: start };
}

class Provider extends JsonRpcProvider {
  override _getSubscriber(wanted: Subscription): Subscriber {
    return wanted.type === 'transaction'
      ? createReceiptSubscriber(this, wanted.hash)
      : super._getSubscriber(wanted);
  }
}

/** ethers, directly at a node. */
export function openProvider(
  url: string,
  options: JsonRpcApiProviderOptions = {},
): JsonRpcProvider & Disposable {
  const provider = new Provider(url, undefined, { staticNetwork: true, ...options });
  return Object.assign(provider, { [Symbol.dispose]: () => provider.destroy() });
}
