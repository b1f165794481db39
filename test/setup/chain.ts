import { Contract } from 'ethers';
import { managedErc20Abi, managedErc721Abi, operatorAbi } from '../../generated/contracts.ts';
import { openProvider } from '../../lab/stage/provider.ts';
import type { TestService } from '../../lab/stage/service.ts';

/** Reads the chain without code of the service: with ethers, directly from the node. */
export function openChain({ chain, service }: TestService) {
  const provider = openProvider(chain.url, { batchMaxCount: 1 });
  const close = (): void => provider.destroy();
  return {
    provider,
    erc20: (address: string) => new Contract(address, managedErc20Abi, provider),
    erc721: (address: string) => new Contract(address, managedErc721Abi, provider),
    operator: new Contract(service.context.system.operator, operatorAbi, provider),
    close,
    [Symbol.dispose]: close,
  };
}
