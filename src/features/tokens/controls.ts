import { randomUUID } from 'node:crypto';
import { parseAddress } from '../../chain/address.ts';
import { encodeControl } from '../../chain/abi/controls.ts';
import type { AccountControl, EncodedControl, TokenControl } from '../../chain/abi/controls.ts';
import type { Rpc } from '../../chain/rpc/rpc.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Engine, Intent } from '../../engine/index.ts';
import type { Owner, TokenRecord, WriteOptions } from './service.ts';

/** A control as it is asked for; `account` as the caller wrote it. */
export type Control = { kind: TokenControl } | { kind: AccountControl; account: string };

/** A storage slot that changes, and its event. */
const CONTROL_GAS = 35_000;

/**
 * Applies a control, or nothing when the token is in its target state already. Behind an intent of the same contract that is
 * open, or that a reorg may still take back, the state to come is not known yet, so the control queues: made twice it does
 * no harm.
 */
export function createControls(parts: {
  engine: Engine;
  rpc: Rpc;
  findOwn(owner: Owner, address: string): Promise<TokenRecord>;
}): (owner: Owner, address: string, control: Control, options: WriteOptions) => Promise<Intent> {
  const { engine, rpc, findOwn } = parts;

  const isApplied = async (
    contract: Hex,
    { view, isApplied: readAnswer }: EncodedControl,
  ): Promise<boolean> => {
    if (await engine.hasOpen(contract)) return false;
    try {
      return readAnswer(await rpc.call<Hex>('eth_call', [{ to: contract, data: view }, 'latest']));
    } catch {
      // Not known, so it is sent; the engine knows how to wait for a chain that does not answer.
      return false;
    }
  };

  return async (owner, address, control, options) => {
    const account = 'account' in control ? parseAddress(control.account, 'account') : null;
    const { address: contract } = await findOwn(owner, address);
    const encoded = encodeControl(control.kind, account);
    const call = (await isApplied(contract, encoded))
      ? null
      : {
          target: contract,
          data: encoded.data,
          gasEstimate: CONTROL_GAS,
          unpaidError: 'CHAIN_ERROR' as const,
        };
    return engine.submit(
      {
        id: randomUUID(),
        ...owner,
        kind: control.kind,
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
