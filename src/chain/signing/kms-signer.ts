import { createPublicKey } from 'node:crypto';
import { Signature, computeAddress, recoverAddress } from 'ethers';
import type { KMSClient } from '@aws-sdk/client-kms';
import { toBytes } from '../../lib/hex.ts';
import type { Hex } from '../../lib/hex.ts';
import { inTime } from '../../lib/in-time.ts';
import { signTransaction } from './signer.ts';
import type { Signer } from './signer.ts';

/** Order of secp256k1's group. `s` and `N - s` are both valid; the chain accepts only the lower one (EIP-2). */
const N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** A lane waits for a signature; KMS takes a tenth of a second, and its client tries again within this time. */
const KMS_TIMEOUT_MS = 5_000;

/**
 * The part of AWS KMS that is used here. Both functions throw when it refuses or cannot be reached, and give up when
 * the signal says so.
 */
interface Kms {
  /** Returns the public key in DER (SubjectPublicKeyInfo). */
  publicKey(keyId: string, signal: AbortSignal): Promise<Uint8Array>;
  /** Returns the ECDSA signature of a digest of 32 bytes, in DER. */
  sign(keyId: string, digest: Uint8Array, signal: AbortSignal): Promise<Uint8Array>;
}

/** Decodes the two numbers of a signature in DER. @throws Error when it is none */
export function decodeDerSignature(der: Uint8Array): { r: bigint; s: bigint } {
  const bytes = Buffer.from(der);
  const malformed = new Error('The signature is no DER sequence of two numbers');
  const integerAt = (offset: number): { value: bigint; end: number } => {
    const length = bytes[offset + 1] ?? 0;
    const end = offset + 2 + length;
    if (bytes[offset] !== 0x02 || length === 0 || length > 33 || end > bytes.length) throw malformed;
    return { value: BigInt(`0x${bytes.toString('hex', offset + 2, end)}`), end };
  };
  // A signature over a curve of 256 bits is at most 72 bytes long, so its length is one byte.
  if (bytes[0] !== 0x30 || bytes[1] !== bytes.length - 2) throw malformed;
  const r = integerAt(2);
  const s = integerAt(r.end);
  if (s.end !== bytes.length) throw malformed;
  return { r: r.value, s: s.value };
}

function toWord(value: bigint): string {
  return `0x${value.toString(16).padStart(64, '0')}`;
}

/** Returns the signature with a low `s` and the `v` that recovers to `address`. @throws Error when none does */
export function toChainSignature(der: Uint8Array, digest: string, address: Hex): Signature {
  const { r, s } = decodeDerSignature(der);
  const low = s > N / 2n ? N - s : s;
  for (const v of [27, 28] as const) {
    const signature = Signature.from({ r: toWord(r), s: toWord(low), v });
    if (recoverAddress(digest, signature).toLowerCase() === address) return signature;
  }
  throw new Error(`The signature is not by the key of ${address}`);
}

function addressOf(keyId: string, spki: Uint8Array): Hex {
  const jwk = createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' }).export({
    format: 'jwk',
  });
  if (jwk.crv !== 'secp256k1' || !jwk.x || !jwk.y) {
    throw new Error(`The KMS key ${keyId} is not of the kind ECC_SECG_P256K1, which the chain needs`);
  }
  const point = Buffer.concat([
    Buffer.from([4]),
    Buffer.from(jwk.x, 'base64url'),
    Buffer.from(jwk.y, 'base64url'),
  ]);
  return computeAddress(`0x${point.toString('hex')}`).toLowerCase() as Hex;
}

/**
 * Opens a signer whose key never leaves AWS KMS (key spec ECC_SECG_P256K1, usage SIGN_VERIFY).
 * @param keyId id, ARN or alias of the key
 * @param timeoutMs milliseconds that KMS has for each answer
 * @throws Error with one sentence when the key cannot be used
 */
export async function openKmsSigner(kms: Kms, keyId: string, timeoutMs = KMS_TIMEOUT_MS): Promise<Signer> {
  const spki = await askKms(timeoutMs, (signal) => kms.publicKey(keyId, signal)).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message || error.name : String(error);
    throw new Error(`SIGNER_KMS_KEY names ${keyId}, which KMS does not give: ${reason}`);
  });
  const address = addressOf(keyId, spki);
  return {
    address,
    sign: (transaction) =>
      signTransaction(transaction, async (digest) => {
        const der = await askKms(timeoutMs, (signal) => kms.sign(keyId, toBytes(digest), signal));
        const { yParity, r, s } = toChainSignature(der, digest, address);
        return { yParity, r: BigInt(r), s: BigInt(s) };
      }),
  };
}

async function askKms<Answer>(
  timeoutMs: number,
  ask: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const giveUp = new AbortController();
  const late = () => new Error(`KMS has not answered within ${timeoutMs} ms`);
  try {
    return await inTime(ask(giveUp.signal), timeoutMs, late);
  } finally {
    giveUp.abort();
  }
}

/**
 * Connects to AWS KMS with region, credentials and endpoint from AWS's own variables and files. The client is an
 * optional package, loaded only here.
 * @throws Error with one sentence when the package is not installed
 */
export async function connectAwsKms(): Promise<Kms & { close(): void }> {
  const sdk = await import('@aws-sdk/client-kms').catch(() => {
    throw new Error(
      'SIGNER_KMS_KEY needs the package @aws-sdk/client-kms: run "npm install @aws-sdk/client-kms"',
    );
  });
  const client: KMSClient = new sdk.KMSClient({});
  return {
    publicKey: async (keyId, abortSignal) => {
      const command = new sdk.GetPublicKeyCommand({ KeyId: keyId });
      return assertGiven((await client.send(command, { abortSignal })).PublicKey);
    },
    sign: async (keyId, digest, abortSignal) => {
      const command = new sdk.SignCommand({
        KeyId: keyId,
        Message: digest,
        MessageType: 'DIGEST',
        SigningAlgorithm: 'ECDSA_SHA_256',
      });
      return assertGiven((await client.send(command, { abortSignal })).Signature);
    },
    close: () => client.destroy(),
  };
}

function assertGiven(bytes: Uint8Array | undefined): Uint8Array {
  if (!bytes) throw new Error('KMS gave an empty answer');
  return bytes;
}
