import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ConfigError } from '../config.ts';
import type { Config } from '../config.ts';

const KEY = /^[0-9a-f]{64}$/i;

/**
 * The keys under which the secrets of webhooks are encrypted, the one to use first. Beside an embedded database they
 * are made; beside one's own they come from a file, and without it there are none.
 * @throws ConfigError
 */
export async function loadWebhookKeys(config: Config): Promise<Buffer[]> {
  const { webhookSecretKeyFile: file, databaseUrl, rpcUrls, dataDir } = config;
  if (file) return readKeys(file);
  if (databaseUrl) return [];
  // The data of the embedded chain end with the process, and so may the key.
  if (!rpcUrls) return [randomBytes(32)];
  const own = path.join(dataDir, 'webhook.key');
  await writeFile(own, `${randomBytes(32).toString('hex')}\n`, { flag: 'wx', mode: 0o600 }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    },
  );
  return readKeys(own);
}

async function readKeys(file: string): Promise<Buffer[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError(`WEBHOOK_SECRET_KEY_FILE cannot be read (${error.code ?? error.message}): ${file}`);
  });
  const lines = text.split('\n').flatMap((line) => line.trim() || []);
  if (lines.length === 0 || !lines.every((line) => KEY.test(line))) {
    throw new ConfigError(
      'WEBHOOK_SECRET_KEY_FILE must hold 64 hexadecimal digits on each line; make one with: openssl rand -hex 32',
    );
  }
  return lines.map((line) => Buffer.from(line, 'hex'));
}
