import { expect, test } from '@jest/globals';
import { isFromThisMachine } from '../../src/http/local.ts';

test.each([
  ['127.0.0.1', true],
  ['127.255.0.9', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['128.0.0.1', false],
  ['192.168.1.5', false],
  ['203.0.113.7', false],
  ['::ffff:203.0.113.7', false],
  ['fd00::2', false],
  ['fe80::1', false],
  // Of a connection that is closed by now.
  [undefined, false],
] as const)('a request from %s is of this machine: %s', (remoteAddress, expected) => {
  expect(isFromThisMachine({ headers: {}, socket: { remoteAddress } })).toBe(expected);
});
