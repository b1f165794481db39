import type { Mutant } from '../mutant.ts';

export const http: readonly Mutant[] = [
  {
    name: 'request time-outs of 0 by default',
    file: 'src/http/limits.ts',
    find: 'requestTimeout: 30_000',
    replace: 'requestTimeout: 0',
    suites: ['test/http/limits.test.ts'],
  },
  {
    name: 'header time-outs of 0 by default',
    file: 'src/http/limits.ts',
    find: 'headersTimeout: 10_000',
    replace: 'headersTimeout: 0',
    suites: ['test/http/limits.test.ts'],
  },
  {
    name: 'a drain that forgets what arrived',
    file: 'src/http/drain.ts',
    find: `    await takeWhatArrived();
    // The base`,
    replace: `    // The base`,
    suites: ['test/http/drain.test.ts'],
  },
  {
    name: 'a drain that closes resting connections at once',
    file: 'src/http/drain.ts',
    find: 'server.closeIdleConnections()), restMs)',
    replace: 'server.closeIdleConnections()), 0)',
    suites: ['test/http/drain.test.ts'],
  },
  {
    name: 'a request hash that folds case',
    file: 'src/http/write.ts',
    find: '${canonical(request.body)}`)',
    replace: '${canonical(request.body).toLowerCase()}`)',
    suites: ['test/http/write.test.ts'],
  },
];
