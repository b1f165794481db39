import { randomUUID } from 'node:crypto';
import { parseAddress } from '../../chain/address.ts';
import { encodeMove } from '../../chain/abi/controls.ts';
import type { AccountMove, EncodedMove, TokenMove } from '../../chain/abi/controls.ts';
import type { Rpc } from '../../chain/rpc/rpc.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Engine, Intent } from '../../engine/index.ts';
import type { Owner, TokenRecord, WriteOptions } from './service.ts';

/** A move as it is asked for; `account` as the caller wrote it. */
export type Move = { kind: TokenMove } | { kind: AccountMove; account: string };

/** A storage slot that changes, and its event. */
const MOVE_GAS = 35_000;

/**
 * Makes a move, or nothing when the token is in its target state already. Behind an intent of the same contract that is
 * open, or that a reorg may still take back, the state to come is not known yet, so the move queues: made twice it does
 * no harm.
 */
export function createControls(parts: {
  engine: Engine;
  rpc: Rpc;
  findOwn(owner: Owner, address: string): Promise<TokenRecord>;
}): (owner: Owner, address: string, move: Move, options: WriteOptions) => Promise<Intent> {
  const { engine, rpc, findOwn } = parts;

  const isMade = async (contract: Hex, { view, isMade }: EncodedMove): Promise<boolean> => {
    if (await engine.hasOpen(contract)) return false;
    try {
      return isMade(await rpc.call<Hex>('eth_call', [{ to: contract, data: view }, 'latest']));
    } catch {
      // Not known, so it is sent; the engine knows how to wait for a chain that does not answer.
      return false;
    }
  };

  return async (owner, address, move, options) => {
    const account = 'account' in move ? parseAddress(move.account, 'account') : null;
    const { address: contract } = await findOwn(owner, address);
    const encoded = encodeMove(move.kind, account);
    const call = (await isMade(contract, encoded))
      ? null
      : {
          target: contract,
          data: encoded.data,
          gasEstimate: MOVE_GAS,
          unpaidError: 'CHAIN_ERROR' as const,
        };
    return engine.submit(
      {
        id: randomUUID(),
        ...owner,
        kind: move.kind,
        contract,
        call,
        arguments: account === null ? {} : { account },
        cost: null,
        idempotency: options.idempotency,
      },
      options.respondAsync,
    );
  };
}
