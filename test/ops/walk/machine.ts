import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, chmod, cp, mkdir, readFile, realpath, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { createAuthority } from '../../../lab/stage/authority.ts';

const run = promisify(execFile);

/** Raises the interface `lo`, with what every Debian has. */
const RAISE = `use Socket; socket(my $s, AF_INET, SOCK_DGRAM, 0) or die; my $request = pack("a16 s x22", "lo", 0x41); ioctl($s, 0x8914, $request) or die "$!";`;

const root = path.resolve(import.meta.dirname, '../../..');

/** Folders of the machine, and where in the folder of the walk they are kept. */
const BOUND = { '/opt': 'opt', '/var/tmp': 'var-tmp' };

/**
 * Makes this machine, whose mounts are its own, one on which nothing of the service was ever installed: /etc is a copy,
 * and /opt, /run and the variable files are empty. nginx runs, with a certificate for mint.example that curl trusts.
 * @returns the folders of programs, as PATH, and the certificate of the authority
 */
export async function prepareMachine(folder: string): Promise<{ PATH: string; ca: string }> {
  await chmod(folder, 0o755);
  await run('perl', ['-e', RAISE]);
  await run('cp', ['-a', '/etc', path.join(folder, 'etc')]);
  await run('mount', ['--bind', path.join(folder, 'etc'), '/etc']);
  for (const place of ['units', 'root', 'bin']) await mkdir(path.join(folder, place));
  for (const [place, source] of Object.entries(BOUND)) {
    await mkdir(path.join(folder, source));
    await run('mount', ['--bind', path.join(folder, source), place]);
  }
  for (const place of ['/run', '/var/log', '/var/lib', '/var/cache'])
    await run('mount', ['-t', 'tmpfs', '-o', 'mode=755', 'none', place]);
  for (const place of ['/var/log/nginx', '/var/lib/nginx', '/etc/systemd/system', '/etc/ssl/certs'])
    await mkdir(place, { recursive: true });
  await appendFile('/etc/hosts', '127.0.0.1 localhost mint.example db.internal\n');
  const authority = await createAuthority('openssl');
  const ca = await readFile(authority.file, 'utf8');
  const identity = await authority.issue('mint.example');
  await authority.close();
  const certificates = '/etc/letsencrypt/live/mint.example';
  await mkdir(certificates, { recursive: true });
  await writeFile(`${certificates}/fullchain.pem`, identity.cert);
  await writeFile(`${certificates}/privkey.pem`, identity.key, { mode: 0o600 });
  await writeFile('/etc/ssl/certs/ca-certificates.crt', ca);
  const PATH = `${await installPrograms(folder)}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`;
  await run('nginx', [], { env: { PATH } });
  return { PATH, ca };
}

/** Node and npm where every user finds them; `npm ci` and `systemctl` are stand-ins. */
async function installPrograms(folder: string): Promise<string> {
  const bin = path.join(folder, 'bin');
  const node = path.join(bin, 'node');
  await run('cp', ['--link', process.execPath, node]).catch(() => cp(process.execPath, node));
  await cp(await findNpm(), path.join(folder, 'npm'), { recursive: true, dereference: true });
  const here = import.meta.dirname;
  // In npm's own file, since the bootstrap runs the npm that runs it. A mount is entered by no hard link from outside,
  // and 800 MB would be copied: packages are put where it is kept.
  const mounts = Object.entries(BOUND).map(([place, source]) => [place, `${folder}/${source}`]);
  await writeFile(
    path.join(folder, 'npm/bin/npm-cli.js'),
    `if (process.argv[2] !== 'ci') require('../lib/cli.js')(process);
else {
  const { spawnSync } = require('node:child_process');
  const here = process.cwd();
  const [place, source] = ${JSON.stringify(mounts)}.find(([each]) => here.startsWith(each + '/')) ?? [here, here];
  const install = ['${here}/install.ts', source + here.slice(place.length), ...process.argv.slice(2)];
  process.exitCode = spawnSync(process.execPath, install, { stdio: 'inherit' }).status ?? 1;
}
`,
  );
  const programs = {
    npm: `exec ${node} ${folder}/npm/bin/npm-cli.js "$@"`,
    systemctl: `exec ${node} ${here}/systemctl.ts ${folder}/units "$@"`,
  };
  for (const [name, script] of Object.entries(programs))
    await writeFile(path.join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return bin;
}

/** The folder of the npm that the bootstrap has got, or else of the one in PATH. */
async function findNpm(): Promise<string> {
  const own = path.join(root, '.node/node_modules/npm');
  if (existsSync(own)) return own;
  const { stdout } = await run('sh', ['-c', 'command -v npm']);
  return path.resolve(await realpath(stdout.trim()), '../..');
}

/** A repository with what lies in this clone, committed or not. Returns its path. */
export async function makeRepository(folder: string): Promise<string> {
  const repository = path.join(folder, 'repository');
  const copy = `
    set -e; cd "$1"
    mkdir -p "$2"
    git -c safe.directory='*' ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do [ -e "$file" ] && printf '%s\\0' "$file"; done | tar -c --null -T - | tar -x -C "$2"
    cd "$2" && git init -q && git add -A && git -c user.name=walk -c user.email=walk@mint.example commit -qm walk`;
  await run('bash', ['-c', copy, 'bash', root, repository], { maxBuffer: 1 << 26 });
  return repository;
}
