import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseEnv, promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { findPatroni } from '../../lab/stage/patroni/site.ts';
import { findProgram } from '../../lab/stage/program.ts';

const run = promisify(execFile);
const read = (file: string): string => readFileSync(path.join('ops/patroni', file), 'utf8');
/** As docs/postgres.md says to fill it in. */
const filled = (file: string): string =>
  read(file)
    .replaceAll('OWN_NAME', 'db1')
    .replaceAll('OWN_ADDRESS', '10.0.0.1')
    .replaceAll('PASSWORD', 'secret');

interface PatroniConfig {
  etcd3: { hosts: string[] };
  restapi: { listen: string };
  bootstrap: {
    dcs: {
      ttl: number;
      loop_wait: number;
      retry_timeout: number;
      synchronous_mode: boolean;
      synchronous_mode_strict: boolean;
      postgresql: { parameters: Record<string, unknown> };
    };
  };
  postgresql: { listen: string };
  watchdog: { mode: string; safety_margin: number };
}

const config = parse(filled('patroni.yml')) as PatroniConfig;
const { dcs } = config.bootstrap;
const etcd = parseEnv(filled('etcd.env'));
const addresses = (text: string): string[] => [...new Set(text.match(/10\.0\.0\.[1-9]/g))].sort();

describe('the files of ops/patroni', () => {
  test('name the same three machines, each at the same ports', () => {
    const machines = ['10.0.0.1', '10.0.0.2', '10.0.0.3'];
    for (const file of ['patroni.yml', 'etcd.env', 'haproxy.cfg'])
      expect(addresses(filled(file))).toEqual(machines);
    const clients = new URL(etcd['ETCD_ADVERTISE_CLIENT_URLS']!).port;
    expect(config.etcd3.hosts).toEqual(machines.map((machine) => `${machine}:${clients}`));
    const [, checked] = /port (\d+)/.exec(read('haproxy.cfg'))!;
    expect(config.restapi.listen).toBe(`10.0.0.1:${checked}`);
    const servers = [...read('haproxy.cfg').matchAll(/server db\d (\S+) check/g)].map(([, server]) => server);
    expect(servers).toContain(config.postgresql.listen);
    expect(servers).toHaveLength(3);
  });

  test('let nothing be acknowledged that only one machine has', () => {
    expect(dcs).toMatchObject({ synchronous_mode: true, synchronous_mode_strict: true });
    // Its default is "on": a flush on the standby as well.
    expect(JSON.stringify(config)).not.toContain('synchronous_commit');
  });

  test('keep the rule of Patroni between its times, and within 30 seconds to the next leader', () => {
    // An election of etcd takes up to twice its timeout, and adds it to the lock, which begins anew; then one leads in
    // 5 s.
    const election = Number(etcd['ETCD_ELECTION_TIMEOUT']) / 1_000;
    expect(dcs.ttl + 3 * election + 5).toBeLessThanOrEqual(30);
    expect(dcs.ttl).toBeGreaterThanOrEqual(dcs.loop_wait + 2 * dcs.retry_timeout);
    // The watchdog resets the machine before another one leads, and not for one late renewal of the lock.
    expect(config.watchdog.mode).toBe('required');
    expect(config.watchdog.safety_margin).toBeGreaterThan(0);
    expect(dcs.ttl - config.watchdog.safety_margin).toBeGreaterThan(dcs.loop_wait + dcs.retry_timeout);
  });
});

const haproxy = await findProgram('haproxy', 'haproxy');
const programs = await findPatroni();

(haproxy ? test : test.skip)('HAProxy accepts its file', async () => {
  const { stdout } = await run(haproxy!, ['-c', '-f', 'ops/patroni/haproxy.cfg']);
  expect(stdout).toContain('Configuration file is valid');
});

/** What its check says of a right file: no etcd is there, and pg_hba stands where it counts at every start. */
const EXPECTED = /^etcd3\.hosts\.\d .* is not reachable|^bootstrap\.pg_hba {2}is not defined/;

(programs ? test : test.skip)('Patroni accepts its file', async () => {
  await using folder = await mkdtempDisposable(path.join(tmpdir(), 'mintmark-patroni-'));
  const file = path.join(folder.path, 'config.yml');
  // Nothing of another network is asked.
  const text = filled('patroni.yml').replaceAll('10.0.0.', '127.1.2.');
  await writeFile(file, text.replace('/usr/lib/postgresql/15/bin', programs!.bin));
  const check = run(programs!.patroni, ['--validate-config', file]);
  const said = await check.catch((error: { stdout: string; stderr: string }) => error);
  const complaints = `${said.stdout}${said.stderr}`.split('\n').filter((line) => line !== '');
  expect(complaints.filter((line) => !EXPECTED.test(line))).toEqual([]);
});
