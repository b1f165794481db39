import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';

/** What no source may do, whatever its inputs. docs/asvs.md says which requirement each one is for. */
const root = path.join(import.meta.dirname, '..', '..');
const sources = globSync('src/**/*.ts', { cwd: root }).map((file) => ({
  file: file.replaceAll(path.sep, '/'),
  text: readFileSync(path.join(root, file), 'utf8'),
}));

/** Files in which the pattern occurs. */
const filesWith = (pattern: RegExp): string[] =>
  sources.filter(({ text }) => pattern.test(text)).map(({ file }) => file);
/** What the pattern's group names, once each. */
const named = (pattern: RegExp): string[] =>
  [...new Set(sources.flatMap(({ text }) => [...text.matchAll(pattern)].map(([, name]) => name!)))].sort();

test('finds the sources', () => {
  expect(filesWith(/^import /m).length).toBeGreaterThan(200);
});

test('no text becomes code, and no input a regular expression', () => {
  expect(filesWith(/\beval\(|\bFunction\(|'node:vm'/)).toEqual([]);
  // Of the cookie's name, of the paths of the contract, and of names of variables.
  expect(filesWith(/\bRegExp\(/)).toEqual([
    'src/http/auth.ts',
    'src/http/error-response.ts',
    'src/admin/init-files.ts',
  ]);
});

test('programs are started beside an embedded database or chain only, to tell systemd of a start, and to give files to a group', () => {
  const files = filesWith(/'(node:)?child_process'/);
  expect(files.filter((file) => path.posix.dirname(file) !== 'src/embedded')).toEqual([
    'src/start/notify-supervisor.ts',
    'src/admin/init-files.ts',
  ]);
});

test('the algorithms are those of the inventory in docs/asvs.md', () => {
  expect(named(/\b(?:createHash|createHmac|hash)\('([^']+)'/g)).toEqual(['sha256']);
  expect(named(/\b(?:CIPHER = |createCipheriv\()'([^']+)'/g)).toEqual(['aes-256-gcm']);
  const imported = named(/^import \{([^}]*)\} from 'node:crypto';/gm).flatMap((names) => names.split(','));
  expect(new Set(imported.map((name) => name.trim()))).toEqual(
    new Set([
      ...[
        'createHash',
        'createHmac',
        'hash',
        'scrypt',
        'createCipheriv',
        'createDecipheriv',
        'createPublicKey',
      ],
      ...['randomBytes', 'randomInt', 'randomUUID'],
    ]),
  );
});

test('what is random comes from a CSPRNG, but for the delay of a webhook', () => {
  expect(filesWith(/\bMath\.random\b/)).toEqual(['src/features/webhooks/deliver.ts']);
});

test('a request changes what belongs to an account in the one way that waits for no connection', () => {
  const own = filesWith(/\.transaction\(|\blockAccount\(/).filter((file) =>
    /^src\/(features|engine\/accept|http)\//.test(file),
  );
  expect(own.sort()).toEqual([
    // All accounts share one acceptance at a time.
    'src/engine/accept/accept.ts',
    // Of the operator.
    'src/features/accounts/administration.ts',
    // Its account is not there yet.
    'src/features/accounts/register.ts',
    // Jobs, one at a time.
    'src/features/audit/close.ts',
    'src/features/audit/seal.ts',
    'src/features/collections/old-sandbox.ts',
    'src/features/metering/empty-writes.ts',
  ]);
});

test('certificates are checked wherever TLS is spoken', () => {
  expect(filesWith(/rejectUnauthorized|NODE_TLS_REJECT/)).toEqual([]);
});
