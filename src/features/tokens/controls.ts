import { randomUUID } from 'node:crypto';
import { parseAddress } from '../../chain/address.ts';
import { encodeControl } from '../../chain/abi/controls.ts';
import type { AccountControl, EncodedControl, TokenControl } from '../../chain/abi/controls.ts';
import type { Rpc } from '../../chain/rpc/rpc.ts';
import type { Engine, Intent, IntentCall } from '../../engine/index.ts';
import type { Hex } from '../../lib/hex.ts';
import { MAX_GAS } from '../../lib/max-gas.ts';
import type { Owner } from '../../lib/owner.ts';
import type { WriteOptions } from '../../lib/write-options.ts';
import { askControl } from './intents.ts';
import type { TokenRecord } from './store.ts';

/** A control as it is asked for; `account` as the caller wrote it. */
export type Control = { kind: TokenControl } | { kind: AccountControl; account: string };

export type ApplyControl = (
  owner: Owner,
  address: string,
  control: Control,
  options: WriteOptions,
) => Promise<Intent>;

/** A storage slot that changes, and its event. */
const CONTROL_GAS = 35_000;

/**
 * Applies a control, or sends nothing when the token is in its target state already. While another intent of the contract
 * is open, or may be taken back by a reorg, the state to come is not known: the control then queues, since applying it
 * twice does no harm.
 */
export function createControls(parts: {
  engine: Engine;
  rpc: Rpc;
  findOwn(owner: Owner, address: string): Promise<TokenRecord>;
}): ApplyControl {
  const { engine, rpc, findOwn } = parts;

  const isApplied = async (contract: Hex, control: EncodedControl): Promise<boolean> => {
    if (await engine.hasOpen(contract)) return false;
    // By its hash: an endpoint that lags, or stays on a fork, refuses to answer instead of answering for another block.
    const head = await engine.canonicalHead();
    if (!head) return false;
    try {
      const call = { to: contract, data: control.view };
      return control.isApplied(await rpc.call<Hex>('eth_call', [call, { blockHash: head.hash }]));
    } catch {
      // Not known, so it is sent; the engine knows how to wait for a chain that does not answer.
      return false;
    }
  };

  return async (owner, address, control, { respondAsync, ...write }) => {
    const account = 'account' in control ? parseAddress(control.account, 'account') : null;
    const { address: contract } = await findOwn(owner, address);
    const encoded = encodeControl(control.kind, account);
    const call: IntentCall = {
      target: contract,
      data: encoded.data,
      gasEstimate: CONTROL_GAS,
      gasMax: MAX_GAS.other,
      mayComeLate: false,
      unpaidError: 'CHAIN_ERROR',
    };
    return engine.submit(
      {
        id: randomUUID(),
        ...owner,
        ...askControl(control.kind, account),
        contract,
        call: (await isApplied(contract, encoded)) ? null : call,
        cost: null,
        ...write,
      },
      respondAsync,
    );
  };
}
