import { AbiCoder, concat, getCreate2Address, keccak256, toBeHex, toUtf8Bytes, zeroPadValue } from 'ethers';
import type { Hex } from '../../lib/hex.ts';
import type { CloneArguments } from '../abi/factory.ts';
import { TOKEN_STANDARDS, TOKEN_TYPES } from '../token-standards.ts';
import type { TokenType } from '../token-standards.ts';
import type { System } from './system-contracts.ts';

/*
 * A clone is a minimal proxy (ERC-1167) with immutable arguments behind its code: owner, options, decimals, lengths, a
 * word for each option with a value, and texts (see CloneArguments.sol).
 */

const PROXY_HEAD = '0x363d3d373d3d3d363d73';
const PROXY_TAIL = '0x5af43d82803e903d91602b57fd5bf3';
const PROXY_BYTES = 45;
const ADDRESS_BYTES = 20;
const WORD_BYTES = 32;
const IMPLEMENTATION_AT = 10;

/** Recognises a clone of this system's tokens by its code. Returns null for any other contract. */
export function recogniseClone(system: System, code: Hex): TokenType | null {
  const implementation: Hex = `0x${code.slice(2 + 2 * IMPLEMENTATION_AT, 2 + 2 * (IMPLEMENTATION_AT + ADDRESS_BYTES))}`;
  if (!code.startsWith(`${PROXY_HEAD}${implementation.slice(2)}${PROXY_TAIL.slice(2)}`)) return null;
  return TOKEN_TYPES.find((each) => implementation === system[TOKEN_STANDARDS[each].implementation]) ?? null;
}

/** Returns the address of the clone that a factory makes when the Operator calls it with this salt and arguments. */
export function predictClone(system: System, type: TokenType, salt: string, args: CloneArguments): Hex {
  const { factory, implementation } = TOKEN_STANDARDS[type];
  const immutable = encodeImmutable(args);
  const initcode = concat([
    '0x61',
    zeroPadValue(toBeHex(PROXY_BYTES + (immutable.length - 2) / 2), 2),
    '0x3d81600a3d39f3',
    PROXY_HEAD,
    system[implementation],
    PROXY_TAIL,
    immutable,
  ]);
  const mixedSalt = keccak256(
    AbiCoder.defaultAbiCoder().encode(['address', 'bytes32'], [system.operator, salt]),
  );
  return getCreate2Address(system[factory], mixedSalt, keccak256(initcode)).toLowerCase() as Hex;
}

function encodeImmutable(args: CloneArguments): string {
  const name = toUtf8Bytes(args.name);
  const symbol = toUtf8Bytes(args.symbol);
  return concat([
    args.owner,
    new Uint8Array([flagsOf(args), args.decimals, name.length, symbol.length]),
    ...valuesOf(args),
    name,
    symbol,
    toUtf8Bytes(args.baseUri),
  ]);
}

/** One bit for each option, as CloneArguments.sol has them. */
function flagsOf({ permissioned, recoverable, maxSupply, mintLimitPerDay, royalty }: CloneArguments): number {
  const options = [permissioned, recoverable, maxSupply !== null, mintLimitPerDay !== null, royalty !== null];
  return options.reduce((flags, isSet, bit) => (isSet ? flags | (1 << bit) : flags), 0);
}

/** One word for each option that has a value. */
function valuesOf({ maxSupply, mintLimitPerDay, royalty }: CloneArguments): string[] {
  const paid = royalty && (BigInt(royalty.receiver) << 96n) | BigInt(royalty.basisPoints);
  return [maxSupply, mintLimitPerDay, paid].flatMap((value) =>
    value === null ? [] : [toBeHex(value, WORD_BYTES)],
  );
}

/**
 * Returns the salt of one deployment of one account; both ids are UUIDs, 16 bytes each. The salt is public, and hashed
 * so that nobody can read from the chain which tokens belong to one account.
 */
export function deploymentSalt(accountId: string, intentId: string): Hex {
  return keccak256(`0x${accountId.replaceAll('-', '')}${intentId.replaceAll('-', '')}`) as Hex;
}
