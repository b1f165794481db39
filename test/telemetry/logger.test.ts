import { expect, test } from '@jest/globals';
import { createLogger } from '../../src/telemetry/logger.ts';

test('a log line hides passwords, credentials and keys, at its top and one level below', () => {
  let written = '';
  const log = createLogger('info', { write: (text) => void (written += text) });
  const secrets = {
    password: 'canary one',
    authorization: 'Bearer canary two',
    cookie: 'service_session=canary three',
    key: 'canary four',
  };
  log.info({ ...secrets, request: secrets, id: 'shown' }, 'a line');
  const { time, ...line } = JSON.parse(written) as Record<string, unknown>;
  expect(time).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  const hidden = {
    password: '[redacted]',
    authorization: '[redacted]',
    cookie: '[redacted]',
    key: '[redacted]',
  };
  expect(line).toEqual({ ...hidden, request: hidden, level: 30, id: 'shown', msg: 'a line' });
});
