import type { Handlers, Schemas } from '../../http/operation.ts';

/** `/network`: what is the same for every caller, and known once the service runs. */
export function networkHandlers({
  network,
  chainId,
  explorerUrl,
}: {
  network: Schemas['Network']['network'];
  chainId: bigint;
  /** Without a slash at its end. */
  explorerUrl: string;
}) {
  return {
    getNetwork: async () => ({ status: 200, body: { network, chainId: Number(chainId), explorerUrl } }),
  } satisfies Partial<Handlers>;
}
