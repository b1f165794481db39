import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { createLogger } from '../../src/telemetry/logger.ts';
import { createTracing } from '../../src/telemetry/tracing.ts';

test('a step that fails is traced with the kind of its error, and without the words of it', async () => {
  let received = '';
  await using stack = new AsyncDisposableStack();
  const collector = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')));
    request.on('end', () => response.end('{}'));
  }).listen(0, '127.0.0.1');
  stack.defer(() => void collector.close());
  await once(collector, 'listening');
  const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  const tracing = createTracing({ endpoint, serviceName: 'a test' }, createLogger('silent'));
  stack.defer(tracing.close);
  const failing = async () => {
    throw new RangeError('canary in the words of an error');
  };
  await expect(tracing.step({ name: 'a step' }, failing)).rejects.toThrow(RangeError);
  // It sends the last ones when it is closed.
  await stack.disposeAsync();
  expect(received).toContain('a step');
  expect(received).toContain('RangeError');
  expect(received).not.toContain('canary');
});
