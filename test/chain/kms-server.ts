import { createPublicKey, randomInt } from 'node:crypto';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { SigningKey } from 'ethers';
import { listen } from '../setup/listen.ts';

const N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** A number as DER writes it: no needless zeros in front, one where the first bit would be a sign. */
function derInteger(value: bigint): Buffer {
  const hex = value.toString(16);
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  const unsigned = bytes[0]! >= 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes;
  return Buffer.concat([Buffer.from([0x02, unsigned.length]), unsigned]);
}

/** A signature in DER. */
export function derSignature(r: bigint, s: bigint): Buffer {
  const body = Buffer.concat([derInteger(r), derInteger(s)]);
  return Buffer.concat([Buffer.from([0x30, body.length]), body]);
}

function spkiOf(key: SigningKey): Buffer {
  const point = Buffer.from(key.publicKey.slice(4), 'hex');
  return createPublicKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: 'secp256k1',
      x: point.subarray(0, 32).toString('base64url'),
      y: point.subarray(32).toString('base64url'),
    },
  }).export({ format: 'der', type: 'spki' });
}

export interface KmsServer {
  url: string;
  /** Operations asked for, in order. */
  asked: string[];
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Speaks as much of AWS KMS as a signer needs. It signs as KMS does: in DER, and with `s` high every other time.
 * @param keys private keys (0x-prefixed) by key id
 */
export async function startKmsServer(keys: Record<string, string>): Promise<KmsServer> {
  const asked: string[] = [];
  const answer = (operation: string, input: { KeyId: string; Message?: string }): [number, object] => {
    const key = keys[input.KeyId] && new SigningKey(keys[input.KeyId]!);
    if (!key) return [400, { __type: 'NotFoundException', message: `Key '${input.KeyId}' does not exist` }];
    if (operation === 'GetPublicKey') {
      return [
        200,
        { KeyId: input.KeyId, KeySpec: 'ECC_SECG_P256K1', PublicKey: spkiOf(key).toString('base64') },
      ];
    }
    const { r, s } = key.sign(Buffer.from(input.Message!, 'base64'));
    const signature = derSignature(BigInt(r), randomInt(2) ? BigInt(s) : N - BigInt(s));
    return [200, { KeyId: input.KeyId, Signature: signature.toString('base64') }];
  };
  const server = createServer((request, response) => {
    const operation = String(request.headers['x-amz-target']).split('.')[1] ?? '';
    asked.push(operation);
    void json(request).then((input) => {
      const [status, output] = answer(operation, input as { KeyId: string });
      response
        .writeHead(status, { 'content-type': 'application/x-amz-json-1.1' })
        .end(JSON.stringify(output));
    });
  });
  return { ...(await listen(server)), asked };
}
