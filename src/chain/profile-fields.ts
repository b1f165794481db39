import { PROFILES } from './profile.ts';
import type { ChainProfile, ProfileChoice } from './profile.ts';

/** Returns the value as the profile has it. @throws FieldError with what is wanted instead */
type Field<Value> = (value: unknown) => Value;

/** What a value should have been: "a whole number from 1 to 100". */
class FieldError extends Error {}

const WEI = 'wei as a whole number, in quotes when it is beyond 2^53';

function whole(min: number, max: number): Field<number> {
  return (value) => {
    if (Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max) return Number(value);
    throw new FieldError(`a whole number from ${min} to ${max}`);
  };
}

function wei(value: unknown): bigint {
  const isExact = typeof value === 'string' ? /^[1-9]\d{0,30}$/.test(value) : Number.isSafeInteger(value);
  if (isExact && BigInt(value as string | number) > 0n) return BigInt(value as string | number);
  throw new FieldError(WEI);
}

function oneOf<Value extends string>(...values: readonly Value[]): Field<Value> {
  return (value) => {
    const found = values.find((candidate) => candidate === value);
    if (found !== undefined) return found;
    throw new FieldError(`one of ${values.join(', ')}`);
  };
}

function yesOrNo(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw new FieldError('true or false');
}

const MAX_MS = 3_600_000;
/** Beyond it no service of this kind waits for a verdict. */
const MAX_FINALITY = 1_000;

const FIELDS: { [Name in keyof ChainProfile]: Field<ChainProfile[Name]> } = {
  name: (value) => {
    if (typeof value === 'string' && /^[a-z0-9][a-z0-9-]{0,40}$/.test(value)) return value;
    throw new FieldError('a name of small letters, digits and hyphens');
  },
  finality: (value) => {
    if (value === 'safe' || value === 'finalized') return value;
    try {
      return whole(1, MAX_FINALITY)(value);
    } catch {
      throw new FieldError(`a whole number of blocks from 1 to ${MAX_FINALITY}, safe or finalized`);
    }
  },
  forkChoiceMs: whole(0, MAX_MS),
  stuckMs: whole(100, MAX_MS),
  feeModel: oneOf('eip1559', 'legacy', 'none'),
  maxFeePerGas: (value) => {
    if (value === null) return null;
    try {
      return wei(value);
    } catch {
      throw new FieldError(`${WEI}, or null for no limit`);
    }
  },
  maxTransactionFee: wei,
  l1Fee: oneOf('none', 'op-stack', 'in-gas'),
  // The Operator's caps of calls are made for EIP-7825; below a million not every single call fits.
  maxTransactionGas: whole(1_000_000, 16_777_216),
  maxCalldataBytes: whole(20_000, 1_000_000),
  maxBatchCalls: whole(1, 10_000),
  honestBlooms: yesOrNo,
  mayHaveZeroParents: yesOrNo,
  minesOnDemand: yesOrNo,
};

/**
 * Reads the profile of an operator: single fields of a chain's profile, and with `base` the built-in one to begin from.
 * @throws Error that names the field: "the field finality is 0, not ..."
 */
export function parseProfile(json: unknown): ProfileChoice {
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw new Error('it is no JSON object');
  const { base, ...given } = json as Record<string, unknown>;
  const known = new Map<string, Field<unknown>>(Object.entries(FIELDS));
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    const field = known.get(name);
    if (!field) throw new Error(`the field ${name} is none of base, ${[...known.keys()].join(', ')}`);
    fields[name] = read(name, value, field);
  }
  if (base === undefined) return { fields };
  return { name: read('base', base, oneOf(...Object.keys(PROFILES))), fields };
}

function read<Value>(name: string, value: unknown, field: Field<Value>): Value {
  try {
    return field(value);
  } catch (error) {
    if (!(error instanceof FieldError)) throw error;
    throw new Error(`the field ${name} is ${JSON.stringify(value)}, not ${error.message}`, { cause: error });
  }
}
