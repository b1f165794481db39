import { scrypt } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { Wallet, scrypt as ethersScrypt } from 'ethers';
import { createKeySigner } from './signer.ts';
import type { Signer } from './signer.ts';

// The key derivation of a keystore takes seconds in JavaScript, and less than one in Node's native code.
const nodeScrypt = promisify<
  Buffer,
  Buffer,
  number,
  { N: number; r: number; p: number; maxmem: number },
  Buffer
>(scrypt);
ethersScrypt.register(async (password, salt, cost, blockSize, parallelization, length) => {
  const options = { N: cost, r: blockSize, p: parallelization, maxmem: 256 * cost * blockSize };
  const key = await nodeScrypt(Buffer.from(password), Buffer.from(salt), length, options);
  return `0x${key.toString('hex')}`;
});

/**
 * Opens a keystore file (Web3 Secret Storage, version 3) with the password in `passwordFile`, without its last line
 * break.
 * @throws Error with one sentence that names the file
 */
export async function openKeystore(file: string, passwordFile: string): Promise<Signer> {
  const password = (await readNamed('SIGNER_PASSWORD_FILE', passwordFile)).replace(/\r?\n$/, '');
  const json = await readNamed('SIGNER_KEYSTORE', file);
  try {
    return createKeySigner((await Wallet.fromEncryptedJson(json, password)).privateKey);
  } catch {
    throw new Error(
      `The keystore ${file} does not open: it is no Web3 keystore, or the password is another one`,
    );
  }
}

/** Makes a new key. @returns its EIP-55 address, and its keystore (version 3) as JSON, which `password` opens */
export async function createKeystore(password: string): Promise<{ address: string; json: string }> {
  const wallet = Wallet.createRandom();
  return { address: wallet.address, json: await wallet.encrypt(password) };
}

async function readNamed(variable: string, file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch {
    throw new Error(`${variable} names ${file}, which cannot be read`);
  }
}
