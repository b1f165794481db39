import type { View } from '../chain/abi/view.ts';
import type { Rpc } from '../chain/rpc/rpc.ts';
import type { Engine, Intent } from '../engine/index.ts';
import type { Hex } from '../lib/hex.ts';
import { MAX_GAS } from '../lib/max-gas.ts';
import type { Owner } from '../lib/owner.ts';
import type { WriteOptions } from '../lib/write-options.ts';
import type { Asked } from './intent-kinds.ts';

/** A free change of a token. */
export interface Change {
  contract: Hex;
  asked: Asked;
  /** Calldata of the token that makes it. */
  data: Hex;
  gasEstimate: number;
  /** Whether the token is so already: then nothing is sent. */
  isApplied: boolean;
}

/** A storage slot that changes, and its event. */
export const CHANGE_GAS = 35_000;

export interface Changes {
  /** Asks for a change. */
  submit(owner: Owner, change: Change, options: WriteOptions): Promise<Intent>;
  /**
   * The state of a token that no accepted intent will change: while one of the contract is open, or may be taken back
   * by a reorg, the state to come is not known, and undefined is returned; so it is when nobody can tell.
   */
  readUndisputed<Answer>(contract: Hex, view: View<Answer>): Promise<Answer | undefined>;
}

export function createChanges({ engine, rpc }: { engine: Engine; rpc: Pick<Rpc, 'call'> }): Changes {
  return {
    readUndisputed: async (contract, { data, decode }) => {
      if (await engine.hasOpen(contract)) return undefined;
      // By its hash: an endpoint that lags, or stays on a fork, refuses to answer instead of answering for another
      // block.
      const head = await engine.canonicalHead();
      if (!head) return undefined;
      try {
        return decode(await rpc.call<Hex>('eth_call', [{ to: contract, data }, { blockHash: head.hash }]));
      } catch {
        // Not known, so it is sent; the engine knows how to wait for a chain that does not answer.
        return undefined;
      }
    },

    submit: (owner, { contract, asked, data, gasEstimate, isApplied }, { respondAsync, ...write }) =>
      engine.submit(
        {
          ...owner,
          ...asked,
          contract,
          call: isApplied
            ? null
            : {
                target: contract,
                data,
                gasEstimate,
                gasMax: MAX_GAS.other,
                isControl: true,
              },
          cost: null,
          ...write,
        },
        respondAsync,
      ),
  };
}
