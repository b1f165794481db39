import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, lstat, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { createKeystore } from '../chain/signing/keystore.ts';
import { ConfigError } from '../config.ts';
import type { Hex } from '../lib/hex.ts';

const run = promisify(execFile);

/** Where the files of a clone are. */
const TEMPLATES = path.resolve(import.meta.dirname, '../../ops');

const FILES = ['mintmark.env', 'engine.env', 'signer-1.json', 'signer-password', 'webhook.key'] as const;
type FileName = (typeof FILES)[number];

/** Its owner writes them, the group of the service reads them. */
const FILE_MODE = 0o640;
const FOLDER_MODE = 0o750;

/** @throws ConfigError for a file that is there: nothing that somebody may need is overwritten */
export async function refuseExisting(folder: string): Promise<void> {
  for (const name of FILES) {
    const file = path.join(folder, name);
    const exists = await lstat(file).then(
      () => true,
      () => false,
    );
    if (exists)
      throw new ConfigError(`${file} is there already: nothing was changed. Keep it, or move it away`);
  }
}

/**
 * Makes the keys, and writes them and both files of variables. When something fails, what was written goes again.
 * @param variables by name, instead of what ops/mintmark.env has
 * @param group whose processes may read the files
 * @returns the address of the new signer, EIP-55. @throws ConfigError with one sentence
 */
export async function writeFiles(
  folder: string,
  group: string,
  variables: Readonly<Record<string, string>>,
): Promise<{ signer: Hex; files: string[] }> {
  const place = (name: FileName): string => path.join(folder, name);
  const password = randomBytes(33).toString('base64');
  const { address, json } = await createKeystore(password);
  const texts: Record<FileName, string> = {
    'signer-password': `${password}\n`,
    'signer-1.json': json,
    'webhook.key': `${randomBytes(32).toString('hex')}\n`,
    'engine.env': await fill('engine.env', {
      SIGNER_KEYSTORE: place('signer-1.json'),
      SIGNER_PASSWORD_FILE: place('signer-password'),
    }),
    'mintmark.env': await fill('mintmark.env', {
      ...variables,
      WEBHOOK_SECRET_KEY_FILE: place('webhook.key'),
    }),
  };
  await using written = new AsyncDisposableStack();
  try {
    if (await mkdir(folder, { recursive: true })) await share(folder, group, FOLDER_MODE);
    for (const name of FILES) {
      await writeFile(place(name), texts[name], { flag: 'wx', mode: 0o600 });
      written.defer(() => rm(place(name)));
      await share(place(name), group, FILE_MODE);
    }
  } catch (error) {
    // What chgrp says, or why a file cannot be made.
    const { stderr, message } = error as Error & { stderr?: string };
    throw new ConfigError(`The files cannot be written: ${(stderr || message).trim()}`);
  }
  written.move();
  return { signer: address as Hex, files: FILES.map(place) };
}

/** The group first: until then nobody but the owner may read it. */
async function share(file: string, group: string, mode: number): Promise<void> {
  await run('chgrp', [group, file]);
  await chmod(file, mode);
}

/** A file of ops/ with other values. */
async function fill(name: string, values: Readonly<Record<string, string>>): Promise<string> {
  const template = await readFile(path.join(TEMPLATES, name), 'utf8');
  return Object.entries(values).reduce(
    (text, [variable, value]) =>
      text.replace(new RegExp(`^${variable}='.*'$`, 'm'), () => `${variable}='${value}'`),
    template,
  );
}
