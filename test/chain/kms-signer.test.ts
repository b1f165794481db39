import { generateKeyPairSync } from 'node:crypto';
import { Transaction, Wallet } from 'ethers';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  connectAwsKms,
  decodeDerSignature,
  openKmsSigner,
  toChainSignature,
} from '../../src/chain/signing/kms-signer.ts';
import { createKeySigner } from '../../src/chain/signing/signer.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { startTestService } from '../../lab/stage/service.ts';
import { deployToken, requestMint } from '../../lab/stage/tokens.ts';
import { derSignature, startKmsServer } from './kms-server.ts';
import type { KmsServer } from './kms-server.ts';

const [{ privateKey }, second] = embeddedAccounts;
const N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const address = new Wallet(privateKey).address.toLowerCase() as `0x${string}`;
const digest = `0x${'5a'.repeat(32)}`;

const transaction = {
  type: 'eip1559',
  chainId: 31_337n,
  nonce: 7n,
  to: address,
  data: '0x1234',
  gasLimit: 100_000n,
  maxFeePerGas: 2_000_000_000n,
  maxPriorityFeePerGas: 1_000_000_000n,
} as const;

let kms: KmsServer;
const before = { ...process.env };

beforeEach(async () => {
  kms = await startKmsServer({ hot: privateKey, spare: second.privateKey });
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_KMS: kms.url,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'id',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_MAX_ATTEMPTS: '1',
  });
});

afterEach(async () => {
  process.env = { ...before };
  await kms[Symbol.asyncDispose]();
});

describe('a key in KMS', () => {
  test('signs transactions that recover to its address, with low s even when KMS returns a high one', async () => {
    const client = await connectAwsKms();
    const signer = await openKmsSigner(client, 'hot');
    expect(signer.address).toBe(address);
    const own = await createKeySigner(privateKey).sign(transaction);
    for (let round = 0; round < 20; round += 1) {
      const { raw, hash } = await signer.sign(transaction);
      const read = Transaction.from(raw);
      expect(read.from?.toLowerCase()).toBe(address);
      expect(BigInt(read.signature!.s)).toBeLessThanOrEqual(N / 2n);
      expect({ raw, hash }).toEqual(own);
    }
    client.close();
    expect(kms.asked).toEqual(['GetPublicKey', ...Array.from({ length: 20 }, () => 'Sign')]);
  });

  test('signs legacy transactions like a key in memory', async () => {
    const client = await connectAwsKms();
    const signer = await openKmsSigner(client, 'hot');
    const legacy = { ...transaction, type: 'legacy' } as const;
    const signed = await signer.sign(legacy);
    expect(Transaction.from(signed.raw)).toMatchObject({ type: 0, chainId: 31_337n });
    expect(signed).toEqual(await createKeySigner(privateKey).sign(legacy));
    client.close();
  });

  test('lets the service deploy and mint with keys that it never sees', async () => {
    await using mintmark = await startTestService({
      SIGNER_KEY: '',
      SIGNER_KMS_KEY: 'hot,spare',
      OPERATOR_ADMIN: address,
    });
    const account = await mintmark.register();
    const token = await deployToken(account);
    expect((await requestMint(account, token)).status).toBe(200);
    expect(kms.asked.filter((name) => name === 'Sign').length).toBeGreaterThan(1);
  });

  test('that does not answer fails the signature in time', async () => {
    const client = await connectAwsKms();
    const given: AbortSignal[] = [];
    const silent = {
      publicKey: client.publicKey,
      sign: (_id: string, _digest: Uint8Array, signal: AbortSignal) => {
        given.push(signal);
        return new Promise<never>(() => undefined);
      },
    };
    const signer = await openKmsSigner(silent, 'hot', 200);
    await expect(signer.sign(transaction)).rejects.toThrow('KMS has not answered within 200 ms');
    expect(given[0]!.aborted).toBe(true);
    client.close();
  });

  test('that does not exist stops the start with a sentence that names it', async () => {
    const client = await connectAwsKms();
    await expect(openKmsSigner(client, 'lost')).rejects.toThrow(
      /SIGNER_KMS_KEY names lost, .*does not exist/,
    );
    client.close();
  });

  test('of another curve is refused', async () => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const spki = publicKey.export({ format: 'der', type: 'spki' });
    const other = { publicKey: async () => spki, sign: async () => Buffer.alloc(0) };
    await expect(openKmsSigner(other, 'p256')).rejects.toThrow(/p256 is not of the kind ECC_SECG_P256K1/);
  });

  test('that returns a signature of another key signs nothing', async () => {
    const { r, s } = new Wallet(second.privateKey).signingKey.sign(digest);
    expect(() => toChainSignature(derSignature(BigInt(r), BigInt(s)), digest, address)).toThrow(
      /not by the key/,
    );
  });
});

describe('DER', () => {
  test.each([
    ['short numbers', 1n, 2n],
    ['numbers with the first bit set', N - 1n, 0x80n],
    ['a full byte', 0xffn, N / 2n],
  ])('with %s is read', (_name, r, s) => {
    expect(decodeDerSignature(derSignature(r, s))).toEqual({ r, s });
  });

  const whole = derSignature(N - 2n, 77n);
  test.each([
    ['nothing', Buffer.alloc(0)],
    ['a cut one', whole.subarray(0, -1)],
    ['a longer one', Buffer.concat([whole, Buffer.from([0])])],
    ['another type', Buffer.concat([Buffer.from([0x31]), whole.subarray(1)])],
    ['a number without bytes', Buffer.from([0x30, 4, 0x02, 0, 0x02, 0])],
    ['a number past the end', Buffer.from([0x30, 4, 0x02, 9, 1, 1])],
  ])('%s is refused', (_name, der) => {
    expect(() => decodeDerSignature(der)).toThrow(/no DER sequence/);
  });
});
