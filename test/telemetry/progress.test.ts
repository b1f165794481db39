import { expect, test } from '@jest/globals';
import { installMonotonicClock } from '../setup/monotonic-clock.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { createTerminal } from '../../src/telemetry/pretty-log.ts';
import { createProgress } from '../../src/telemetry/progress.ts';

test('of many steps a log has the first one, one in ten seconds, and the end', () => {
  using clock = installMonotonicClock();
  const lines: string[] = [];
  const log = createLogger('info', { write: (line: string) => void lines.push(line) });
  const progress = createProgress(log);
  for (let step = 1; step <= 55; step += 1) {
    progress({ step, of: 55 }, 'migrating');
    clock.advance(500);
  }
  log.info({ steps: 55 }, 'migrated');
  const said = lines.map((line) => JSON.parse(line) as { step?: number; msg: string });
  expect(said.map(({ step, msg }) => step ?? msg)).toEqual([1, 21, 41, 'migrated']);
});

test('a terminal shows one line that is rewritten, and keeps the last one', () => {
  let shown = '';
  const log = createLogger(
    'info',
    createTerminal((text) => (shown += text)),
  );
  log.info({ progress: true, step: 1 }, 'migrating');
  log.info({ progress: true, step: 2 }, 'migrating');
  log.info('migrated');
  log.info('ready');
  expect(shown.split('\n').length).toBe(3);
  const [moving = '', last] = shown.split('\n');
  expect(moving.split('\r\u001B[2K').map((part) => /migrating|migrated/.exec(part)?.[0])).toEqual([
    'migrating',
    'migrating',
    'migrated',
  ]);
  expect(last).toContain('ready');
});
