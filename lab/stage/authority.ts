import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A private key and its certificate, as PEM. */
export interface Identity {
  key: string;
  cert: string;
}

/** A certificate authority that is not trusted by default. */
export interface Authority {
  /** Path of its own certificate. */
  file: string;
  issue(host: string): Promise<Identity>;
  /** Removes its files. */
  close(): Promise<void>;
}

/** @param openssl path of the program, from `findProgram('openssl', 'openssl')`, of version 3 or later */
export async function createAuthority(openssl: string): Promise<Authority> {
  const folder = await mkdtemp(path.join(tmpdir(), 'mintmark-authority-'));
  const certify = async (name: string, ...options: string[]): Promise<Identity & { file: string }> => {
    const [keyFile, file] = [path.join(folder, `${name}.key`), path.join(folder, `${name}.pem`)];
    const algorithm = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    const files = ['-keyout', keyFile, '-out', file];
    await run(openssl, [
      'req',
      '-x509',
      ...algorithm,
      '-days',
      '2',
      '-subj',
      `/CN=${name}`,
      ...options,
      ...files,
    ]);
    return { file, key: await readFile(keyFile, 'utf8'), cert: await readFile(file, 'utf8') };
  };
  const { file } = await certify('authority');
  const signer = ['-CA', file, '-CAkey', path.join(folder, 'authority.key')];
  return {
    file,
    issue: (host) => certify(host, ...signer, '-addext', `subjectAltName=DNS:${host}`),
    close: () => rm(folder, { recursive: true, force: true }),
  };
}
