import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { findFreePort } from '../../src/embedded/free-port.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import type { Logger } from '../../src/telemetry/logger.ts';
import { createTerminal } from '../../src/telemetry/pretty-log.ts';
import { until } from '../setup/until.ts';
import { bareEnvironment } from '../../lab/stage/bare-environment.ts';
import { findProgram } from '../../lab/stage/program.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestService } from '../../lab/stage/service.ts';

/** Runs a command on a pseudo terminal. */
const script = await findProgram('script', 'bsdutils');

describe('npm start', () => {
  let mintmark: TestService;
  beforeAll(async () => {
    mintmark = await startTestService();
  });
  afterAll(() => mintmark?.stop());

  /** What a replica says of two requests, from its start until it has stopped by Ctrl-C. */
  async function hear(command: string, args: string[], interrupt: 'key' | 'signal'): Promise<string> {
    const port = await findFreePort();
    using stack = new DisposableStack();
    const child = spawn(command, args, {
      env: {
        ...mintmark.environment,
        ...bareEnvironment(),
        TERM: 'xterm',
        LOG_LEVEL: 'info',
        PORT: String(port),
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    stack.defer(() => child.kill('SIGKILL'));
    const exit = once(child, 'close');
    let said = '';
    const ready = new Promise<void>((resolve) => {
      child.stdout.on('data', (chunk: Buffer) => {
        said += chunk.toString();
        if (said.includes('Mintmark is ready')) resolve();
      });
    });
    await Promise.race([ready, exit]);
    const url = `http://127.0.0.1:${port}`;
    await fetch(`${url}/me?page=2`, { headers: { Authorization: 'Bearer mta_secret' } });
    await fetch(`${url}/auth/signin`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email: 'alice@example.com', password: 'correct horse battery' }),
    });
    // A terminal throws away what it has not shown yet when somebody presses Ctrl-C (POSIX, ISIG without NOFLSH).
    await until(() => said.includes('/auth/signin'));
    if (interrupt === 'key') child.stdin.write('\x03');
    else child.kill('SIGINT');
    expect(await exit).toEqual([0, null]);
    for (const secret of ['mta_secret', 'correct horse', 'page=2']) expect(said).not.toContain(secret);
    return said;
  }

  (script === null ? test.skip : test)('writes its log for people on a terminal', async () => {
    const command = `exec "${process.execPath}" src/main.ts`;
    const said = await hear(script!, ['--quiet', '--return', '--command', command, '/dev/null'], 'key');
    const lines = stripVTControlCharacters(said).split('\r\n');
    expect(said).toContain('\x1b[32mINFO');
    expect(lines).toContainEqual(
      expect.stringMatching(/WARN: SIGNER_KEY is a private key in the environment/),
    );
    expect(lines).toContainEqual(expect.stringMatching(/^\[\d\d:\d\d:\d\d\] INFO: GET \/me 401 in \d+ ms$/));
    expect(lines).toContainEqual(expect.stringMatching(/INFO: POST \/auth\/signin 401 in \d+ ms$/));
    expect(lines).toContainEqual(
      expect.stringMatching(/INFO: stopping: requests that are under way may end$/),
    );
    expect(said).not.toContain('"level"');
  });

  test('writes JSON lines when the output is no terminal', async () => {
    const said = await hear(process.execPath, ['src/main.ts'], 'signal');
    const lines = said.split('\n').filter((line) => line.startsWith('{'));
    const base = {
      level: 30,
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      replica: expect.stringMatching(/.:\d+$/),
    };
    const request = (method: string, path: string) => ({
      ...base,
      req: { id: expect.any(String), method, path, client: '127.0.0.1' },
      res: { statusCode: 401 },
      responseTime: expect.any(Number),
      msg: 'request completed',
    });
    const logged = lines.map((line) => JSON.parse(line) as { msg: string });
    // A busy machine has more to tell between them.
    const expected =
      /^(SIGNER_KEY is a private|lanes are held under|request completed|stopping: requests that are)/;
    expect(logged.filter(({ msg }) => expected.test(msg))).toEqual([
      { ...base, level: 40, msg: expect.stringMatching(/^SIGNER_KEY is a private key in the environment/) },
      { ...base, msg: 'lanes are held under this id', holder: expect.any(String) },
      request('GET', '/me'),
      request('POST', '/auth/signin'),
      { ...base, msg: 'stopping: requests that are under way may end' },
    ]);
    expect(said).not.toContain('INFO');
  });
});

describe('a line on a terminal', () => {
  /** What is shown, without colours and times. */
  const show = (write: (log: Logger) => void): string => {
    let shown = '';
    write(
      createLogger(
        'trace',
        createTerminal((text) => (shown += text)),
      ),
    );
    return stripVTControlCharacters(shown).replace(/^\[\d\d:\d\d:\d\d\] /gm, '');
  };
  const req = { id: 'a1', method: 'POST', path: '/tokens' };

  test('ends with its figures', () => {
    expect(show((log) => log.child({ signer: '0xabc' }).warn({ nonce: '4' }, 'a reorg'))).toBe(
      'WARN: a reorg {"signer":"0xabc","nonce":"4"}\n',
    );
  });

  test('names the request, with its id for an error', () => {
    const answered = (level: 'info' | 'error', statusCode: number): string =>
      show((log) => log[level]({ req, res: { statusCode }, responseTime: 3 }, 'request completed'));
    expect(answered('info', 200)).toBe('INFO: POST /tokens 200 in 3 ms\n');
    expect(answered('error', 500)).toBe('ERROR: POST /tokens 500 in 3 ms (request a1)\n');
    const failed = show((log) => log.child({ req }).error({ err: new Error('no more') }, 'unexpected error'));
    expect(failed).toMatch(/^ERROR: POST \/tokens unexpected error \(request a1\)/);
    expect(failed).toMatch(/^ +Error: no more\n +at .*pretty-log\.test\.ts/m);
  });

  test('hides the same secrets as JSON lines', () => {
    const shown = show((log) =>
      log.info({ password: 'a1b2', caller: { key: 'c3d4', cookie: 'e5f6' } }, 'hm'),
    );
    expect(shown).toContain('[redacted]');
    expect(shown).not.toMatch(/a1b2|c3d4|e5f6/);
  });

  test('contains no control characters or line breaks', () => {
    const evil = 'x\x1b[2J\x9b2J\x7f\r\n[00:00:00] INFO: y';
    let shown = '';
    const log = createLogger(
      'trace',
      createTerminal((text) => (shown += text)),
    );
    log.info(evil);
    log.info({ evil, nested: { evil } }, 'hm');
    log.info({ req: { ...req, path: `/${evil}` }, res: { statusCode: 404 }, responseTime: 1 }, 'hm');
    expect(shown.split('\n')).toHaveLength(4);
    log.error({ err: new Error(evil) }, 'hm');
    expect(shown.replace(/\x1b\[\d+m/g, '')).not.toMatch(/[\0-\x09\x0b-\x1f\x7f-\x9f]/);
    expect(shown).toContain('x\\x1b[2J');
  });
});
