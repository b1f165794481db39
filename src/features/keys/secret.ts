import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** The prefix of a secret names its kind, and lets a secret scanner find a leaked one. */
type SecretPrefix = 'mta_' | 'mtk_' | 'mts_' | 'mtc_';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 30;
const CHECKSUM_LENGTH = 6;

/** CRC-32 of the text in base 62, six digits, which hold 2^32: a scanner can check a secret without asking us. */
function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let index = 0; index < CHECKSUM_LENGTH; index += 1) {
    digits = BASE62[rest % 62]! + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

/** A new secret: prefix, 30 base62 characters (178 bits) from the system's CSPRNG, 6 of checksum over all before. */
export function createSecret(prefix: SecretPrefix): string {
  let random = '';
  for (let index = 0; index < RANDOM_LENGTH; index += 1) random += BASE62[randomInt(62)]!;
  return prefix + random + checksum(prefix + random);
}

/** SHA-256, all that is kept: 178 random bits need no slow hash. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
