import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Wallet, encryptKeystoreJson } from 'ethers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openKeystore } from '../../src/chain/signing/keystore.ts';
import { readConfig } from '../../src/config.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { startService } from '../../src/start/service.ts';
import type { Service } from '../../src/start/service.ts';
import { query } from '../../src/db/client.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { startTestService } from '../../lab/stage/service.ts';

const PASSWORD = 'a pässword with spaces ';
const wallets = embeddedAccounts.slice(0, 2).map(({ privateKey }) => new Wallet(privateKey));
let folder: string;
const file = (name: string): string => path.join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mintmark-keys-'));
  // The least work that the format allows: what is tested here is not the strength of scrypt.
  const options = { scrypt: { N: 1_024, r: 8, p: 1 } };
  for (const [index, { address, privateKey }] of wallets.entries()) {
    await writeFile(
      file(`${index}.json`),
      await encryptKeystoreJson({ address, privateKey }, PASSWORD, options),
    );
  }
  await writeFile(file('password'), `${PASSWORD}\n`);
  await writeFile(file('windows'), `${PASSWORD}\r\n`);
  await writeFile(file('wrong'), 'another one');
  await writeFile(file('broken.json'), '{"version": 3}');
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** The signers with a lane, as soon as there are so many. */
async function lanesOf({ context: { db } }: Service, count: number): Promise<string[]> {
  for (let look = 0; look < 600; look += 1) {
    const lanes = await query<{ signer: Hex }>(db, 'select signer from lanes');
    if (lanes.length >= count) return lanes.map(({ signer }) => signer).sort();
    await sleep(100);
  }
  throw new Error(`there are fewer than ${count} lanes after a minute`);
}

test.each(['password', 'windows'])(
  'opens with the password of the file %s, line break or not',
  async (name) => {
    const signer = await openKeystore(file('0.json'), file(name));
    expect(signer.address).toBe(wallets[0]!.address.toLowerCase());
  },
);

test.each([
  ['a wrong password', '0.json', 'wrong', /^The keystore .*0\.json does not open/],
  ['a file that is no keystore', 'broken.json', 'password', /^The keystore .*broken\.json does not open/],
  ['no keystore', 'none.json', 'password', /^SIGNER_KEYSTORE names .*none\.json, which cannot be read$/],
  ['no password file', '0.json', 'none', /^SIGNER_PASSWORD_FILE names .*none, which cannot be read$/],
])('%s is one sentence that names the file and no secret', async (_name, keystore, password, sentence) => {
  const opening = openKeystore(file(keystore), file(password));
  await expect(opening).rejects.toThrow(sentence);
  await expect(opening).rejects.not.toThrow(PASSWORD.trim());
});

test('several keystores make several signers with a lane each; SIGNER_KEY logs a warning', async () => {
  await using mintmark = await startTestService();
  await mintmark.service.stop();
  const lines: string[] = [];
  const log = createLogger('warn', { write: (line: string) => void lines.push(line) });
  const start = (variables: Record<string, string>) =>
    startService(readConfig([], { ...mintmark.environment, ...variables }), log);

  const keystores = [file('0.json'), file('1.json')].join(',');
  const admin = { OPERATOR_ADMIN: wallets[0]!.address };
  mintmark.service = await start({
    ...admin,
    SIGNER_KEY: '',
    SIGNER_KEYSTORE: keystores,
    SIGNER_PASSWORD_FILE: file('password'),
  });
  expect(lines.join()).not.toMatch(/SIGNER_KEY/);
  expect(await lanesOf(mintmark.service, wallets.length)).toEqual(
    wallets.map(({ address }) => address.toLowerCase()).sort(),
  );

  await mintmark.service.stop();
  mintmark.service = await start(admin);
  expect(lines.join()).toMatch(/SIGNER_KEY is a private key in the environment/);
  expect(lines.join()).not.toContain(embeddedAccounts[0].privateKey);
});
