import type { Mutant } from '../mutant.ts';

const SUITES = ['test/embedded/postgres.test.ts'];

export const embedded: readonly Mutant[] = [
  {
    name: 'an embedded chain for pages whose name leads to this machine',
    file: 'src/embedded/refuse-pages.ts',
    find: 'if (!LOCAL_HOST.test(host)) return true;',
    replace: '',
    suites: ['test/embedded/chain.test.ts'],
  },
  {
    name: 'an embedded chain for pages of other origins',
    file: 'src/embedded/refuse-pages.ts',
    find: 'if (origin !== undefined && origin !== `http://${host}`) return true;',
    replace: '',
    suites: ['test/embedded/chain.test.ts'],
  },
  {
    name: 'sockets of the embedded chain for pages',
    file: 'src/embedded/refuse-pages.ts',
    find: 'if (isFromPage(request)) socket.end(',
    replace: 'if (false) socket.end(',
    suites: ['test/embedded/chain.test.ts'],
  },
  {
    name: 'a stranger killed that got the number of a former server',
    file: 'src/embedded/postmaster.ts',
    find: 'if (!(await serves(found.pid, cluster))) {',
    replace: 'if (false) {',
    suites: SUITES,
  },
  {
    name: 'a PostgreSQL that lived on left alone',
    file: 'src/embedded/postmaster.ts',
    find: 'await endPostmaster(found.pid, start);',
    replace: '',
    suites: SUITES,
  },
  {
    name: 'a lock whose number belongs to somebody else by now',
    file: 'src/embedded/service-lock.ts',
    find: 'start !== undefined && start === holder?.start',
    replace: 'start !== undefined',
    suites: SUITES,
  },
  {
    name: 'a second service on the same folder',
    file: 'src/embedded/service-lock.ts',
    find: 'if (await isRunning(holder)) throw',
    replace: 'if (false) throw',
    suites: SUITES,
  },
  {
    name: 'an embedded database that does not wait for the disk',
    file: 'src/embedded/server-process.ts',
    find: "data === 'throwaway' ? { ...always, ...careless } : always",
    replace: '{ ...always, ...careless }',
    suites: SUITES,
  },
  {
    name: 'an embedded database that the network reaches',
    file: 'src/embedded/server-process.ts',
    find: "listen_addresses: '127.0.0.1'",
    replace: "listen_addresses: '*'",
    suites: SUITES,
  },
  {
    name: 'a password of the database that others may read',
    file: 'src/embedded/postgres.ts',
    find: 'await writeFile(file, password, { mode: 0o600 });',
    replace: 'await writeFile(file, password, { mode: 0o644 });',
    suites: SUITES,
  },
];
