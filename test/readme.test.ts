import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readConfig } from '../src/config.ts';
import { welcome } from '../src/start/banner.ts';
import { openChain } from './setup/chain.ts';
import { startTestService } from '../lab/stage/service.ts';
import type { TestService } from '../lab/stage/service.ts';

const RECIPIENT = '0x3440326f551B8A7ee198cEE35cb5D517f2d296a2';

let mintmark: TestService;

beforeAll(async () => {
  mintmark = await startTestService();
});

afterAll(async () => {
  await mintmark?.stop();
});

/** Runs pasted lines, with the URL of this service in place of the documented one. */
async function paste(lines: string, email: string): Promise<string[]> {
  const INVITE = randomUUID();
  await mintmark.service.context.accounts.ensureInvites([INVITE]);
  const script = lines
    .replace('http://127.0.0.1:3000', mintmark.url)
    .replaceAll('alice@example.com', email)
    .replace(/"inviteCode":"[\w-]+"/, `"inviteCode":"${INVITE}"`);
  const { stdout } = await promisify(execFile)('bash', ['-eu', '-c', script], {
    env: { ...process.env, INVITE },
  });
  return [...stdout.matchAll(/\{.*?\}(?=\{|\s|$)/gs)].map(([json]) => json.trim());
}

async function expectMint(answers: string[]): Promise<void> {
  const mint = answers.map((answer) => JSON.parse(answer) as { data?: { transaction: { hash: string } } });
  const hash = mint.find(({ data }) => data?.transaction)?.data?.transaction.hash;
  using chain = openChain(mintmark);
  expect((await chain.provider.getTransactionReceipt(hash ?? ''))?.status).toBe(1);
}

test("the README's first mint works when pasted", async () => {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const [, lines] = /## The first mint.*?```sh\n(.*?)```/s.exec(readme) ?? [];
  const answers = await paste(lines ?? '', 'readme@example.com');
  await expectMint(answers);
  expect(JSON.parse(answers.at(-2)!)).toMatchObject({
    name: 'Alice Coin',
    symbol: 'ALC',
    creator: 'readme@example.com',
  });
  expect(JSON.parse(answers.at(-1)!)).toMatchObject({ mintsUsed: 2, mintsRemaining: 98 });
  expect(lines).toContain(RECIPIENT);
});

test('the commands that `npm start` shows work when pasted', async () => {
  const config = { ...readConfig([], {}), bootstrapInvites: ['an-invite'] };
  const lines = welcome(config, mintmark.service, 2_345);
  expect(lines).toContain('Mintmark is ready after 2.3 s.');
  const [, docs] = /^ *Docs +(\S+)$/m.exec(lines)!;
  expect(await (await fetch(docs!.replace(config.publicUrl, mintmark.url))).text()).toContain(
    '<title>Mintmark API</title>',
  );
  await expectMint(await paste(lines.slice(lines.indexOf('API=')), 'welcome@example.com'));
});

test('the commands of the README are scripts of package.json', async () => {
  const [readme, packageFile] = await Promise.all(
    ['../README.md', '../package.json'].map((file) => readFile(new URL(file, import.meta.url), 'utf8')),
  );
  const { scripts } = JSON.parse(packageFile!) as { scripts: Record<string, string> };
  const named = [...readme!.matchAll(/`npm (?:run )?([\w:]+)[^`]*`/g)].map(([, name]) => name!);
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((name) => !scripts[name])).toEqual([]);
});
