import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import https from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { findFreePort } from '../../src/embedded/free-port.ts';
import type { Authority } from './authority.ts';

const run = promisify(execFile);

/** An nginx with ops/nginx.conf. */
export interface Nginx extends AsyncDisposable {
  /** By address: certificates are for mint.example. */
  url: string;
  /** Files of bodies that it keeps on the disk. */
  keptBodies(): Promise<string[]>;
}

interface NginxOptions {
  /** The ports of both replicas. */
  ports: readonly [number, number];
  authority: Authority;
  /** What a test wants changed in the file, word for word. */
  changes?: Record<string, string>;
}

/** @param program path of nginx, from `findProgram('nginx', 'nginx-light')` */
export async function startNginx(
  program: string,
  { ports, authority, changes = {} }: NginxOptions,
): Promise<Nginx> {
  const folder = await mkdtemp(path.join(tmpdir(), 'mintmark-nginx-'));
  const identity = await authority.issue('mint.example');
  const [key, certificate] = [path.join(folder, 'key.pem'), path.join(folder, 'certificate.pem')];
  await Promise.all([writeFile(key, identity.key), writeFile(certificate, identity.cert)]);
  const [tls, plain] = [await findFreePort(), await findFreePort()];
  const all = {
    'listen 80;': `listen 127.0.0.1:${plain};`,
    'listen 443 ssl': `listen 127.0.0.1:${tls} ssl`,
    '/etc/letsencrypt/live/mint.example/fullchain.pem': certificate,
    '/etc/letsencrypt/live/mint.example/privkey.pem': key,
    '127.0.0.1:3001': `127.0.0.1:${ports[0]}`,
    '127.0.0.1:3002': `127.0.0.1:${ports[1]}`,
    ...changes,
  };
  let text = readFileSync('ops/nginx.conf', 'utf8');
  for (const [from, to] of Object.entries(all)) {
    if (!text.includes(from)) throw new Error(`ops/nginx.conf does not say: ${from}`);
    text = text.replace(from, to);
  }
  const [site, main, log] = ['site.conf', 'nginx.conf', 'error.log'].map((name) => path.join(folder, name));
  await writeFile(site!, text);
  await mkdir(path.join(folder, 'nginx'));
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/nginx/${name};`)
    .join('\n');
  await writeFile(
    main!,
    `${process.getuid?.() === 0 ? 'user root;' : ''}
     daemon off; worker_processes 1; worker_rlimit_nofile 20000; pid ${folder}/nginx.pid; error_log ${log};
     events { worker_connections 8192; } http { access_log off; ${temporary} include ${site}; }`,
  );
  await run(program, ['-t', '-c', main!, '-e', log!]);
  const child = spawn(program, ['-c', main!, '-e', log!], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  return {
    url: `https://127.0.0.1:${tls}`,
    keptBodies: () => readdir(path.join(folder, 'nginx', 'client_body')),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export interface Answer {
  status: number;
  body: Record<string, unknown>;
  headers: Record<string, string | string[] | undefined>;
}

/**
 * Asks a site as the public does, over a connection of its own unless an agent is given. Bodies that are no JSON are
 * empty here.
 */
export function askSite(
  { url, ca }: { url: string; ca: string },
  method: string,
  route: string,
  {
    body,
    headers = {},
    agent = false,
  }: { body?: unknown; headers?: Record<string, string>; agent?: https.Agent | false } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
    const options = {
      method,
      ca,
      servername: 'mint.example',
      agent,
      headers: { Host: 'mint.example', ...type, ...headers },
    };
    const request = https.request(`${url}${route}`, options, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('error', reject);
      response.on('end', () => {
        const isJson = response.headers['content-type']?.startsWith('application/json');
        const parsed = isJson ? (JSON.parse(text) as Record<string, unknown>) : {};
        resolve({ status: response.statusCode!, body: parsed, headers: response.headers });
      });
    });
    request.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
  });
}
