import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { encryptKeystoreJson } from 'ethers';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';

/**
 * Runs `work` with the variables that give the service so many accounts of the node as signers; all of them by default.
 */
export async function withSigners<Result>(
  work: (variables: Record<string, string>) => Promise<Result>,
  count: number = embeddedAccounts.length,
): Promise<Result> {
  await using folder = await mkdtempDisposable(path.join(tmpdir(), 'mintmark-signers-'));
  const password = path.join(folder.path, 'password');
  await writeFile(password, 'a password');
  const files = await Promise.all(
    embeddedAccounts.slice(0, count).map(async ({ address, privateKey }) => {
      const file = path.join(folder.path, address);
      const json = await encryptKeystoreJson({ address, privateKey }, 'a password', {
        scrypt: { N: 1024 },
      });
      await writeFile(file, json);
      return file;
    }),
  );
  return await work({ SIGNER_KEY: '', SIGNER_KEYSTORE: files.join(','), SIGNER_PASSWORD_FILE: password });
}
