import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Encrypts signing secrets, so that they cannot be read from the database alone. */
export interface SecretBox {
  /** AES-256-GCM under the first key, bound to the webhook that the secret belongs to. */
  seal(webhookId: string, secret: string): Buffer;
  /** Undefined when no key fits. */
  open(webhookId: string, sealed: Buffer): string | undefined;
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const SECRET_BYTES = 32;

/** A new signing secret as Standard Webhooks writes it. */
export function createSigningSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/** @param keys 32 bytes each: the first seals, all open */
export function createSecretBox(keys: readonly Buffer[]): SecretBox {
  const openWith = (key: Buffer, webhookId: string, sealed: Buffer): string | undefined => {
    const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(Buffer.from(webhookId));
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
    try {
      const secret = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES));
      return Buffer.concat([secret, decipher.final()]).toString();
    } catch {
      return undefined;
    }
  };
  return {
    seal: (webhookId, secret) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, keys[0]!, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.from(webhookId));
      const sealed = [cipher.update(secret, 'utf8'), cipher.final()];
      return Buffer.concat([nonce, ...sealed, cipher.getAuthTag()]);
    },
    open: (webhookId, sealed) => {
      for (const key of keys) {
        const secret = openWith(key, webhookId, sealed);
        if (secret !== undefined) return secret;
      }
      return undefined;
    },
  };
}
