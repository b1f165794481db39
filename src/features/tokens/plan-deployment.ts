import { parseAddress } from '../../chain/address.ts';
import { deploymentSalt, predictClone } from '../../chain/system/clones.ts';
import type { System } from '../../chain/system/system-contracts.ts';
import type { FindId, NewIntent, RequestId } from '../../engine/index.ts';
import { AppError } from '../../errors.ts';
import type { Hex } from '../../lib/hex.ts';
import { MAX_GAS } from '../../lib/max-gas.ts';
import type { Owner } from '../../lib/owner.ts';
import type { WriteOptions } from '../../lib/write-options.ts';
import { askDeployment } from '../intent-kinds.ts';
import type { Bounds, Deployment, DeploymentKind } from '../intent-kinds.ts';
import { TOKEN_STANDARDS } from '../../chain/token-standards.ts';
import { readBound, readLimit } from './bounds.ts';
import type { AskedRoyalty } from './bounds.ts';

/** The part of a deployment's intent that follows from what is to be deployed. */
type PlannedDeployment = Pick<NewIntent, 'contract' | 'call' | 'kind' | 'arguments'> & {
  requestId: RequestId;
};

/** Bounds as they are asked for; what is left out bounds nothing. Numbers are decimal strings. */
interface AskedBounds {
  maxSupply?: string | undefined;
  mintLimitPerDay?: string | undefined;
  recoverable?: boolean | undefined;
  /** ERC-721 only. */
  royalty?: AskedRoyalty | undefined;
}

/** A deployment as it is asked for. */
export type AskedDeployment = Omit<Deployment, 'bounds'> & { bounds: AskedBounds };

/**
 * Checks a deployment and works out its call and its address; nothing is accepted yet.
 * @throws AppError VALIDATION_ERROR, BASE_URI_TOO_LONG
 */
export type PlanDeployment = (
  owner: Owner,
  kind: DeploymentKind,
  deployment: AskedDeployment,
  options: Pick<WriteOptions, 'idempotency'>,
) => Promise<PlannedDeployment>;

const MAX_NAME_BYTES = 64;
const MAX_SYMBOL_BYTES = 16;
const MAX_BASE_URI_BYTES = 256;
/** Token URIs begin with it, and wallets open them: no `javascript:`, and no text that is no URI at all. */
const BASE_URI = /^(https?|ipfs):\/\/[^\s"<>\\^`{|}/?#:][^\s"<>\\^`{|}]*$/i;

export function createDeploymentPlanner({
  system,
  walletOf,
  findId,
}: {
  system: System;
  findId: FindId;
  /** The wallet that shall own a new token; null when the account has none. */
  walletOf(accountId: string): Promise<Hex | null>;
}): PlanDeployment {
  return async (owner, kind, deployment, { idempotency }) => {
    const { accountId } = owner;
    checkDeployment(deployment);
    const bounds = readBounds(deployment.bounds);
    // The address follows from it, and a repeated request has the same one.
    const requestId = await findId(owner, idempotency);
    const { type, name, symbol, permissionless } = deployment;
    const standard = TOKEN_STANDARDS[type];
    const clone = {
      owner: (await walletOf(accountId)) ?? system.operator,
      permissioned: !permissionless,
      decimals: deployment.decimals ?? 0,
      name,
      symbol,
      baseUri: deployment.baseUri ?? '',
      ...cloneBounds(bounds),
    };
    const salt = deploymentSalt(accountId, requestId.id);
    return {
      requestId,
      contract: predictClone(system, type, salt, clone),
      call: {
        target: system[standard.factory],
        data: standard.encodeCreation(salt, clone),
        gasEstimate: standard.deploymentGas,
        gasMax: MAX_GAS.deployment,
        isControl: false,
      },
      ...askDeployment(kind, { ...deployment, bounds }),
    };
  };
}

function checkDeployment({ name, symbol, baseUri }: AskedDeployment): void {
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) {
    throw new AppError('VALIDATION_ERROR', `name is longer than ${MAX_NAME_BYTES} bytes in UTF-8`);
  }
  if (Buffer.byteLength(symbol) > MAX_SYMBOL_BYTES) {
    throw new AppError('VALIDATION_ERROR', `symbol is longer than ${MAX_SYMBOL_BYTES} bytes in UTF-8`);
  }
  if (baseUri !== null && Buffer.byteLength(baseUri) > MAX_BASE_URI_BYTES) {
    throw new AppError('BASE_URI_TOO_LONG', `baseUri is longer than ${MAX_BASE_URI_BYTES} bytes in UTF-8`);
  }
  if (baseUri && !BASE_URI.test(baseUri)) {
    throw new AppError('VALIDATION_ERROR', 'baseUri must be an ipfs, http or https URI');
  }
}

/** @throws AppError VALIDATION_ERROR */
function readBounds({ maxSupply, mintLimitPerDay, recoverable = false, royalty }: AskedBounds): Bounds {
  if (maxSupply !== undefined) readBound(maxSupply, 'maxSupply');
  if (mintLimitPerDay !== undefined) readLimit(mintLimitPerDay, 'mintLimitPerDay');
  return {
    maxSupply: maxSupply ?? null,
    mintLimitPerDay: mintLimitPerDay ?? null,
    recoverable,
    royalty: royalty ? { ...royalty, receiver: parseAddress(royalty.receiver, 'royalty.receiver') } : null,
  };
}

/** Bounds as the factories take them. */
function cloneBounds({ maxSupply, mintLimitPerDay, recoverable, royalty }: Bounds) {
  return {
    maxSupply: maxSupply === null ? null : BigInt(maxSupply),
    mintLimitPerDay: mintLimitPerDay === null ? null : BigInt(mintLimitPerDay),
    recoverable,
    royalty,
  };
}
