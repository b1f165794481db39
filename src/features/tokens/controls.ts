import { parseAddress } from '../../chain/address.ts';
import { encodeControl } from '../../chain/abi/controls.ts';
import type { AccountControl, TokenControl } from '../../chain/abi/controls.ts';
import type { Intent } from '../../engine/index.ts';
import type { Owner } from '../../lib/owner.ts';
import type { WriteOptions } from '../../lib/write-options.ts';
import { CHANGE_GAS } from '../token-changes.ts';
import type { Changes } from '../token-changes.ts';
import type { TokenFinder } from './find-token.ts';
import { askControl } from './intents.ts';

/** A control as it is asked for; `account` as the caller wrote it. */
export type Control = { kind: TokenControl } | { kind: AccountControl; account: string };

export type ApplyControl = (
  owner: Owner,
  address: string,
  control: Control,
  options: WriteOptions,
) => Promise<Intent>;

/**
 * Applies a control, or sends nothing when the token is in its target state already. Where the state to come is not
 * known, the control queues, since applying it twice does no harm.
 */
export function createControls({
  changes,
  findOwn,
}: {
  changes: Changes;
  findOwn: TokenFinder['findOwn'];
}): ApplyControl {
  return async (owner, address, control, options) => {
    const account = 'account' in control ? parseAddress(control.account, 'account') : null;
    const token = await findOwn(owner, address);
    const { data, applied } = encodeControl(control.kind, account);
    const isApplied = (await changes.readUndisputed(token.address, applied)) === true;
    const asked = askControl(control.kind, account);
    const change = { contract: token.address, asked, data, gasEstimate: CHANGE_GAS, isApplied };
    return changes.submit(owner, change, options);
  };
}
