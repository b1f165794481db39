import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const SINGLE_CASE = /^0x(?:[0-9a-f]{40}|[0-9A-F]{40})$/;
const ZERO = /^0x0{40}$/;

/** Why the API would refuse an address. @returns null when it takes it */
export function checkAddress(text: string): string | null {
  if (text === '') return 'is missing';
  if (/^0x[0-9a-fA-F]{40}[^0-9a-zA-Z]/.test(text))
    return 'has something behind the address: put it into a column of its own';
  if (/^[^\s@]+\.[a-z]{2,}$/i.test(text)) return 'is a name: put the address there that it stands for';
  if (!ADDRESS.test(text)) return 'must be an address: 0x and 40 hexadecimal digits';
  if (ZERO.test(text)) return 'is the zero address, which nobody owns';
  const isRight = SINGLE_CASE.test(text) || withChecksum(text.slice(2)) === text.slice(2);
  return isRight ? null : 'has a wrong checksum (EIP-55): a letter of it is mistyped';
}

/** @param address that is right */
export function toChecksum(address: string): string {
  return `0x${withChecksum(address.slice(2))}`;
}

/** The letters of an address as EIP-55 has them: a large one where the digit of the hash is 8 or more. */
function withChecksum(digits: string): string {
  const lower = digits.toLowerCase();
  const hash = bytesToHex(keccak_256(utf8ToBytes(lower)));
  return lower.replaceAll(/[a-f]/g, (letter, at: number) =>
    Number.parseInt(hash[at]!, 16) >= 8 ? letter.toUpperCase() : letter,
  );
}
