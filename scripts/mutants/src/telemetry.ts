import type { Mutant } from '../mutant.ts';

export const telemetry: readonly Mutant[] = [
  {
    name: 'authorization in the log',
    file: 'src/telemetry/logger.ts',
    find: `        'authorization',
        '*.authorization',`,
    replace: '',
    suites: ['test/telemetry/logger.test.ts'],
  },
  {
    name: 'passwords in the log',
    file: 'src/telemetry/logger.ts',
    find: `        'password',
        '*.password',`,
    replace: '',
    suites: ['test/telemetry/logger.test.ts'],
  },
  {
    name: 'messages of errors in traces',
    file: 'src/telemetry/tracing.ts',
    find: "span.setAttribute('error.type', error instanceof Error ? error.name : 'unknown');",
    replace: "span.setAttribute('error.type', String(error));",
    suites: ['test/telemetry/trace-errors.test.ts'],
  },
  {
    name: 'a failed intent logged without its account',
    file: 'src/telemetry/verdict-log.ts',
    find: 'account: accountId, kind',
    replace: 'kind',
    suites: ['test/telemetry/verdict-log.test.ts'],
  },
  {
    name: 'a reorg that is not logged',
    file: 'src/telemetry/verdict-log.ts',
    find: `  retracted: 'warn',
`,
    replace: '',
    suites: ['test/telemetry/verdict-log.test.ts'],
  },
];
