import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { readConfig } from '../../src/config.ts';
import { createSecretBox, createSigningSecret } from '../../src/features/webhooks/secret.ts';
import { loadWebhookKeys } from '../../src/start/webhook-keys.ts';

const OWN = {
  DATABASE_URL: 'postgres://db.example/mintmark',
  RPC_URL: 'https://rpc.example',
  SIGNER_KEY: `0x${'1'.repeat(64)}`,
};
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mintmark-keys-'));
});
afterEach(() => rm(folder, { recursive: true }));

const load = (env: Record<string, string>) => loadWebhookKeys(readConfig([], { ...OWN, ...env }));

test('keys are read from their file, in its order', async () => {
  const file = path.join(folder, 'webhook.key');
  await writeFile(file, `${'a'.repeat(64)}\n\n  ${'0'.repeat(64)}\n`);
  const keys = await load({ WEBHOOK_SECRET_KEY_FILE: file });
  expect(keys.map((key) => key.toString('hex'))).toEqual(['a'.repeat(64), '0'.repeat(64)]);
});

test.each(['', 'ab', `${'a'.repeat(64)}\nxyz`, 'g'.repeat(64)])(
  'a file that holds %j stops the start with a sentence that does not repeat it',
  async (text) => {
    const file = path.join(folder, 'webhook.key');
    await writeFile(file, text);
    const loading = load({ WEBHOOK_SECRET_KEY_FILE: file });
    await expect(loading).rejects.toThrow(/^WEBHOOK_SECRET_KEY_FILE must hold 64 hexadecimal digits/);
    if (text) await expect(loading).rejects.not.toThrow(text);
  },
);

test('a missing file stops the start', async () => {
  await expect(load({ WEBHOOK_SECRET_KEY_FILE: path.join(folder, 'none') })).rejects.toThrow(/ENOENT/);
});

test('with an own database there is none unless it is given', async () => {
  expect(await load({})).toEqual([]);
});

test('with a lasting embedded database one is made once, readable by its owner only', async () => {
  const lasting = { DATABASE_URL: '', DATA_DIR: folder };
  const [first] = await load(lasting);
  expect(await load(lasting)).toEqual([first]);
  expect((await stat(path.join(folder, 'webhook.key'))).mode & 0o777).toBe(0o600);
});

test('with the embedded chain each process makes its own', async () => {
  const fresh = { DATABASE_URL: '', RPC_URL: '', SIGNER_KEY: '', DATA_DIR: folder };
  expect(await load(fresh)).not.toEqual(await load(fresh));
});

test('a secret opens with its key and for its webhook only, and is sealed differently each time', () => {
  const [key, next] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  const box = createSecretBox([key]);
  const secret = createSigningSecret();
  const sealed = box.seal('one', secret);
  expect(box.open('one', sealed)).toBe(secret);
  expect(box.open('other', sealed)).toBeUndefined();
  expect(createSecretBox([next]).open('one', sealed)).toBeUndefined();
  expect(createSecretBox([next, key]).open('one', sealed)).toBe(secret);
  expect(createSecretBox([key, next]).open('one', createSecretBox([next]).seal('one', secret))).toBe(secret);
  expect(box.seal('one', secret)).not.toEqual(sealed);
  expect(sealed.includes(Buffer.from(secret))).toBe(false);
  sealed[20]! ^= 1;
  expect(box.open('one', sealed)).toBeUndefined();
});
