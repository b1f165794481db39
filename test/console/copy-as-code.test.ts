import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createMintmarkClient } from '../../generated/client.ts';
import { describeCall } from '../../packages/console/src/api/call.ts';
import type { Call } from '../../packages/console/src/api/call.ts';
import {
  fromEnvironment,
  toCurl,
  toPythonCode,
  toTypeScript,
} from '../../packages/console/src/parts/copy-as-code/languages.ts';
import { installClient } from '../setup/client-package.ts';
import type { ClientProject } from '../setup/client-package.ts';
import { findProgram } from '../../lab/stage/program.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';

const run = promisify(execFile);
const programs = { curl: await findProgram('curl', 'curl'), python: await findProgram('python3', 'python3') };
const HOLDER = '0x3440326f551B8A7ee198cEE35cb5D517f2d296a2';
/** What breaks out of quotes where quoting is wrong. */
const HOSTILE = `it's "quoted" $(id) \`id\` \\ ${'{x}'} true`;

let mintmark: TestService;
let alice: TestAccount;
let project: ClientProject;
let environment: Record<string, string | undefined>;

beforeAll(async () => {
  [mintmark, project] = await Promise.all([startTestService(), installClient()]);
  alice = await mintmark.register();
  const account = createMintmarkClient({ baseUrl: mintmark.url, cookie: alice.cookie });
  const createKey = async (kind: 'live' | 'sandbox'): Promise<string> =>
    (await account.POST('/v1/api-keys', { body: { name: kind, environment: kind } })).data!.key!;
  environment = {
    PATH: process.env['PATH'],
    MINTMARK_API_KEY: await createKey('live'),
    MINTMARK_SANDBOX_KEY: await createKey('sandbox'),
    MINTMARK_TOKEN: alice.token,
    MINTMARK_SESSION: alice.cookie,
  };
});

afterAll(async () => {
  await project?.[Symbol.asyncDispose]();
  await mintmark?.stop();
});

const LANGUAGES = {
  curl: { program: programs.curl, write: toCurl, run: (code: string) => ['bash', ['-c', code]] as const },
  python: {
    program: programs.python,
    write: toPythonCode,
    run: (code: string) => ['python3', ['-c', code]] as const,
  },
  typescript: {
    program: 'node',
    write: toTypeScript,
    run: (_code: string, file: string) => [process.execPath, [file]] as const,
  },
};

async function answerTo(
  language: keyof typeof LANGUAGES,
  call: Call,
  isSandbox: boolean,
  own: Record<string, string> = {},
): Promise<string> {
  const { write, run: commandOf } = LANGUAGES[language];
  const code = write(call, { serviceUrl: mintmark.url, isSandbox });
  const file = path.join(project.folder, 'copied.ts');
  await writeFile(file, code);
  const [program, args] = commandOf(code, file);
  return (await run(program, [...args], { env: { ...environment, ...own }, cwd: project.folder })).stdout;
}

test('copied as curl, a write has a key of its own without uuidgen', async () => {
  const deploy = describeCall('post', '/tokens', { body: { type: 'ERC20', name: 'Coin', symbol: 'C' } });
  const code = toCurl(deploy, { serviceUrl: mintmark.url, isSandbox: false });
  expect(code).not.toContain('uuidgen');
  const header = /-H ("Idempotency-Key: [^\n]*") \\$/m.exec(code)![1]!;
  const keys = await Promise.all(
    [1, 2].map(async () => (await run('sh', ['-c', `printf %s ${header}`])).stdout),
  );
  for (const key of keys) expect(key).toMatch(/^Idempotency-Key: [0-9a-f]{32}$/);
  expect(keys[0]).not.toBe(keys[1]);
});

describe.each(['curl', 'python', 'typescript'] as const)('copied as %s', (language) => {
  const each = LANGUAGES[language].program === null ? test.skip : test;

  each('a deployment and a mint work, with a text that would break out of quotes', async () => {
    const deploy = describeCall('post', '/tokens', { body: { type: 'ERC20', name: HOSTILE, symbol: 'ALC' } });
    const deployed = await answerTo(language, deploy, false);
    const [address] = /0x[0-9a-fA-F]{40}/.exec(deployed)!;
    const { data: token } = await alice.api.GET('/tokens/{address}', { params: { path: { address } } });
    expect(token!.name).toBe(HOSTILE);
    const mint = describeCall('post', '/tokens/{address}/mint', {
      path: { address },
      body: { owner: HOLDER, amount: '1' },
    });
    expect(await answerTo(language, mint, false)).toContain('hash');
  });

  each('a list with a query, what needs the session, and what needs an access token work', async () => {
    const list = describeCall('get', '/intents', { query: { status: 'confirmed', limit: 1 } });
    expect(await answerTo(language, list, false)).toContain('confirmed');
    expect(await answerTo(language, describeCall('get', '/v1/billing/credits'), false)).toContain('prices');
    const clear = describeCall('patch', '/me', { body: { walletAddress: null } });
    expect(await answerTo(language, clear, false)).toContain(alice.email);
    expect(await answerTo(language, describeCall('get', '/health'), false)).toContain('ok');
  });

  each('a collection of the sandbox is made with the key of the sandbox', async () => {
    const create = describeCall('post', '/v1/collections', { body: { name: 'Harbour', symbol: 'HARB' } });
    expect(await answerTo(language, create, true)).toContain('sandbox');
  });

  each('a refusal shows its code and message', async () => {
    const mint = describeCall('post', '/tokens/{address}/mint', {
      path: { address: HOLDER },
      body: { owner: HOLDER, amount: '1' },
    });
    const shown = await answerTo(language, mint, false).catch(
      ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
    );
    expect(shown).toMatch(/NOT_FOUND/);
    expect(shown).toMatch(/No token/i);
  });

  each('a password comes from the environment, whatever characters it has', async () => {
    const bob = await mintmark.register();
    const [current, next] = [bob.password, `next "pass\\word" 'of' $(id) ${HOSTILE}`];
    const change = describeCall('post', '/v1/auth/password', {
      body: {
        currentPassword: fromEnvironment('CURRENT_PASSWORD'),
        newPassword: fromEnvironment('NEW_PASSWORD'),
        revokeKeys: false,
      },
    });
    const own = { MINTMARK_SESSION: bob.cookie, CURRENT_PASSWORD: current, NEW_PASSWORD: next };
    await answerTo(language, change, false, own);
    const signIn = (password: string) =>
      mintmark.anonymous.POST('/auth/signin', { body: { email: bob.email, password } });
    expect((await signIn(next)).response.status).toBe(200);
    expect((await signIn(current)).response.status).toBe(401);
  });

  test('has no secret in it', () => {
    const { write } = LANGUAGES[language];
    const code = write(describeCall('get', '/v1/api-keys'), { serviceUrl: mintmark.url, isSandbox: false });
    expect(code).toContain('MINTMARK_SESSION');
    expect(code).not.toMatch(/mt[acks]_/);
  });
});
