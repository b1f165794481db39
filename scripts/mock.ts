import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/**
 * Serves openapi.yaml with Prism: every operation returns its examples, without a database or a chain.
 * PORT is 4010 unless set. Ask for another answer with `Prefer: code=422` or `Prefer: example=erc721`.
 */
const prism = dirname(createRequire(import.meta.url).resolve('@stoplight/prism-cli/package.json'));
const contract = join(import.meta.dirname, '..', 'openapi.yaml');
const port = process.env['PORT'] ?? '4010';

const server = spawn(
  process.execPath,
  [join(prism, 'dist', 'index.js'), 'mock', '--host', '127.0.0.1', '--port', port, contract],
  { stdio: 'inherit' },
);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => server.kill(signal));
server.on('exit', (code) => process.exit(code ?? 0));
