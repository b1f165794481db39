import type { components } from '../../../../../generated/api.ts';
import { parseAmount } from '../amount-text.ts';
import { byteLength } from '../bytes.ts';

type Royalty = components['schemas']['Royalty'];

/** What a deployment asks for beside its standard, as it is typed in; empty for none. */
export interface ContractDraft {
  name: string;
  symbol: string;
  maxSupply: string;
  mintLimitPerDay: string;
  recoverable: boolean;
  royalty: RoyaltyDraft;
}

export interface RoyaltyDraft {
  receiver: string;
  /** With two decimals at the most. */
  percent: string;
}

export const NO_ROYALTY: RoyaltyDraft = { receiver: '', percent: '' };
export const NEW_CONTRACT: ContractDraft = {
  name: '',
  symbol: '',
  maxSupply: '',
  mintLimitPerDay: '',
  recoverable: false,
  royalty: NO_ROYALTY,
};

/** By the name of the field in the API. */
export type Faults = Partial<Record<string, string>>;

/** The limits of the contract (`TokenName`, `TokenSymbol`), in bytes of UTF-8. */
export const MAX_NAME_BYTES = 64;
export const MAX_SYMBOL_BYTES = 16;
const MAX_AMOUNT = 2n ** 208n - 1n;
const MAX_BASIS_POINTS = 1_000;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/**
 * The fields of a request that every deployment has. Those that are left out are undefined, as JSON leaves them out.
 */
export interface ContractFields {
  name: string;
  symbol: string;
  maxSupply?: string;
  mintLimitPerDay?: string;
  recoverable?: true;
  royalty?: Royalty;
}

/**
 * Reads a draft as far as it goes.
 * @param decimals of amounts; 0 for NFTs
 */
export function readContract(
  draft: ContractDraft,
  decimals: number,
): { fields: ContractFields; faults: Faults } {
  const { name, symbol, recoverable } = draft;
  const faults: Faults = {
    ...checkText('name', name, MAX_NAME_BYTES),
    ...checkText('symbol', symbol, MAX_SYMBOL_BYTES),
  };
  const fields: ContractFields = { name, symbol, ...(recoverable ? { recoverable } : {}) };
  for (const field of ['maxSupply', 'mintLimitPerDay'] as const) {
    if (draft[field].trim() === '') continue;
    const { raw, fault } = readBound(draft[field], decimals, 1n);
    if (fault !== undefined) faults[field] = fault;
    fields[field] = raw;
  }
  if (draft.royalty.receiver !== '' || draft.royalty.percent !== '') {
    const royalty = readRoyalty(draft.royalty);
    fields.royalty = royalty.royalty;
    Object.assign(faults, royalty.faults);
  }
  return { fields, faults };
}

function checkText(field: string, text: string, max: number): Faults {
  if (text === '') return { [field]: `A ${field} is needed` };
  const used = byteLength(text);
  return used > max ? { [field]: `It has ${used} bytes; ${max} fit` } : {};
}

/** @param least in raw units. @returns what was typed as raw units, as far as it is a number */
export function readBound(
  typed: string,
  decimals: number,
  least: bigint,
): { raw: string; fault: string | undefined } {
  const raw = parseAmount(typed.trim(), decimals);
  if (raw === null) return { raw: typed.trim(), fault: explainAmount(typed.trim(), decimals) };
  if (BigInt(raw) < least) return { raw, fault: 'It has to be more than 0' };
  return { raw, fault: BigInt(raw) > MAX_AMOUNT ? 'It has to be below 2^208 in raw units' : undefined };
}

function explainAmount(typed: string, decimals: number): string {
  if (/^\d.*\D/.test(typed) && !/^\d+\.\d+$/.test(typed)) {
    return decimals === 0
      ? 'Digits alone are read, without a comma or a point: 1000'
      : 'Digits alone are read, with a point before decimals and no comma: 1000.5';
  }
  return decimals === 0
    ? 'A whole number is needed'
    : `A number is needed, with ${decimals} decimals at most`;
}

export function readRoyalty({ receiver, percent }: RoyaltyDraft): { royalty: Royalty; faults: Faults } {
  const basisPoints = Number(parseAmount(percent.trim(), 2) ?? Number.NaN);
  const isPart = basisPoints >= 0 && basisPoints <= MAX_BASIS_POINTS;
  return {
    royalty: { receiver, basisPoints: Number.isNaN(basisPoints) ? 0 : basisPoints },
    faults: {
      ...(ADDRESS.test(receiver) ? {} : { 'royalty.receiver': 'An address is needed: 0x and 40 digits' }),
      ...(isPart
        ? {}
        : {
            'royalty.basisPoints': 'A percentage from 0 to 10 is needed, with a point before decimals: 2.5',
          }),
    },
  };
}
