import type { Mutant } from '../mutant.ts';

const FILE = 'src/config.ts';
const SUITES = ['test/config.test.ts'];

export const config: readonly Mutant[] = [
  {
    name: 'CRASH_AT accepted in production',
    file: FILE,
    find: "if (text(env, 'NODE_ENV') === 'production') {",
    replace: "if (text(env, 'NODE_ENV') === 'staging') {",
    suites: SUITES,
  },
  {
    name: 'production without a public URL',
    file: FILE,
    find: "if (given === null && text(env, 'NODE_ENV') === 'production') {",
    replace: 'if (false) {',
    suites: SUITES,
  },
  {
    name: 'links to an explorer that is off',
    file: FILE,
    find: 'if (!explorer && given === null) {',
    replace: 'if (false) {',
    suites: SUITES,
  },
  {
    name: 'a private key of zero accepted',
    file: 'src/lib/environment.ts',
    find: 'computeAddress(key);',
    replace: '',
    suites: SUITES,
  },
  {
    name: 'CONFIRMATIONS without effect',
    file: 'src/start/chain-profile.ts',
    find: 'return confirmations === null ? profile : { ...profile, finality: confirmations };',
    replace: 'return profile;',
    suites: ['test/start/chain-profile.test.ts'],
  },
  {
    name: 'a database URL that an error repeats',
    file: 'src/lib/environment.ts',
    find: '    `${name} is not a URL that begins with',
    replace: '    `${name} ${value} is not a URL that begins with',
    suites: SUITES,
  },
  {
    name: 'an embedded chain beside a database that lasts',
    file: FILE,
    find: 'if (databaseUrl && rpcUrls.length === 0) {',
    replace: 'if (false) {',
    suites: SUITES,
  },
  {
    name: 'two kinds of signers at once',
    file: FILE,
    find: 'if (given.length > 1) {',
    replace: 'if (given.length > 2) {',
    suites: SUITES,
  },
  {
    name: 'the zero address as admin',
    file: 'src/lib/environment.ts',
    find: 'if (checked !== ZeroAddress) return checked;',
    replace: 'return checked;',
    suites: SUITES,
  },
];
