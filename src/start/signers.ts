import { openKeystore } from '../chain/signing/keystore.ts';
import { connectAwsKms, openKmsSigner } from '../chain/signing/kms-signer.ts';
import { createKeySigner } from '../chain/signing/signer.ts';
import type { Signer } from '../chain/signing/signer.ts';
import type { Config } from '../config.ts';
import { embeddedAccounts } from '../embedded/accounts.ts';
import type { Logger } from '../telemetry/logger.ts';

/**
 * Opens the signers that the configuration names; when developing it is one that everybody knows.
 * @param stack closes them in the end
 * @throws Error with one sentence when a key cannot be had.
 */
export async function loadSigners(
  config: Config,
  log: Logger,
  stack: AsyncDisposableStack,
): Promise<Signer[]> {
  const { signerKeystores, signerPasswordFile, signerKey, signerKmsKeys, developing } = config;
  if (signerKeystores.length > 0) {
    return Promise.all(signerKeystores.map((file) => openKeystore(file, signerPasswordFile!)));
  }
  if (signerKmsKeys.length > 0) {
    const kms = await connectAwsKms();
    stack.defer(() => kms.close());
    return Promise.all(signerKmsKeys.map((keyId) => openKmsSigner(kms, keyId)));
  }
  if (signerKey) {
    if (!developing)
      log.warn('SIGNER_KEY is a private key in the environment; SIGNER_KEYSTORE keeps it encrypted');
    return [createKeySigner(signerKey)];
  }
  return developing ? [createKeySigner(embeddedAccounts[0].privateKey)] : [];
}
