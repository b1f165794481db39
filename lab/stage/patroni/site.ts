import { randomBytes, randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findFreePort } from '../../../src/embedded/free-port.ts';
import { findServerAccount } from '../../../src/embedded/server-account.ts';
import type { ServerAccount } from '../../../src/embedded/server-account.ts';
import { giveTo } from '../../../src/embedded/server-files.ts';
import { findProgram } from '../program.ts';

/** Paths of what Debian installs. */
export interface PatroniPrograms {
  patroni: string;
  etcd: string;
  haproxy: string;
  /** The folder with the server and its other programs. */
  bin: string;
}

/** @returns null when one is missing, after a sentence that says which: call it outside of the tests */
export async function findPatroni(): Promise<PatroniPrograms | null> {
  const postgres = await findProgram('postgres', 'postgresql');
  const patroni = await findProgram('patroni', 'patroni');
  const etcd = await findProgram('etcd', 'etcd-server');
  const haproxy = await findProgram('haproxy', 'haproxy');
  if (!(postgres && patroni && etcd && haproxy)) return null;
  // What is in the PATH may be a link to it.
  return { bin: path.dirname(await realpath(postgres)), patroni, etcd, haproxy };
}

/** Where the machines of ops/patroni are: each is an address of the loopback device, and a folder. */
export interface Site {
  programs: PatroniPrograms;
  folder: string;
  account: ServerAccount;
  password: string;
  /** The text of a file of ops/patroni for one of the machines, db1 to db3. */
  configure(file: string, machine: string): string;
  /** What an address of the files is here, with a port: `10.0.0.2:5432`. */
  at(address: string): string;
}

export const MACHINES = ['db1', 'db2', 'db3'] as const;
const ADDRESSES: Record<string, string> = { db1: '10.0.0.1', db2: '10.0.0.2', db3: '10.0.0.3' };
const PORTS = [5432, 8008, 2379, 2380];
const ADDRESS = /(10\.0\.0\.\d|127\.0\.0\.1):(\d+)/g;

/** What tests of one machine cannot leave as it is: addresses, ports, folders, passwords; there is no watchdog. */
export async function openSite(programs: PatroniPrograms): Promise<Site> {
  const folder = await mkdtemp(path.join(tmpdir(), 'mintmark-patroni-'));
  const account = await findServerAccount(folder);
  await giveTo(account, folder);
  const password = randomBytes(16).toString('hex');
  // All of 127.0.0.0/8 leads here.
  const network = `127.${randomInt(1, 255)}.${randomInt(0, 255)}`;
  const ports = new Map<number, number>();
  for (const port of PORTS) ports.set(port, await findFreePort());
  const at = (address: string): string =>
    address.replaceAll(
      ADDRESS,
      (_, host: string, port: string) =>
        `${host.replace('10.0.0', network)}:${ports.get(Number(port)) ?? port}`,
    );
  const configure = (file: string, machine: string): string => {
    const data = path.join(folder, machine);
    const text = readFileSync(path.join(import.meta.dirname, '../../../ops/patroni', file), 'utf8')
      .replaceAll('OWN_ADDRESS', ADDRESSES[machine]!)
      .replaceAll('OWN_NAME', machine)
      .replaceAll('PASSWORD', password);
    return at(text)
      .replaceAll('10.0.0.0/24', '127.0.0.0/8')
      .replaceAll('port 8008', `port ${ports.get(8008)}`)
      .replaceAll('/usr/lib/postgresql/15/bin', programs.bin)
      .replaceAll(/\/var\/(?:lib|run)\/(?=postgresql|etcd)/g, `${data}/`)
      .replace('mode: required', 'mode: off')
      .replaceAll(/^ *(?:user|group|daemon|log)\b.*\n/gm, '');
  };
  return { programs, folder, account, password, configure, at };
}
