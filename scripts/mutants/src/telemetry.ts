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
];
