import { expect, test } from '@jest/globals';
import { hostOf, splitHosts } from '../../src/lib/database-url.ts';

test.each([
  ['postgres://u:p@a:5432/db', ['postgres://u:p@a:5432/db']],
  ['postgres://a/db?sslmode=require', ['postgres://a/db?sslmode=require']],
  [
    'postgresql://u:p%40,q@a:1,b,[::1]:3/db?target_session_attrs=read-write',
    [
      'postgresql://u:p%40,q@a:1/db?target_session_attrs=read-write',
      'postgresql://u:p%40,q@b/db?target_session_attrs=read-write',
      'postgresql://u:p%40,q@[::1]:3/db?target_session_attrs=read-write',
    ],
  ],
  [
    'postgres://u:p@/db?host=a,[::1]&port=1,3&target_session_attrs=read-write',
    [
      'postgres://u:p@a:1/db?target_session_attrs=read-write',
      'postgres://u:p@[::1]:3/db?target_session_attrs=read-write',
    ],
  ],
  ['postgres:///db?host=a,b&port=7', ['postgres://a:7/db?', 'postgres://b:7/db?']],
  ['postgres:///db?host=a,b', ['postgres://a/db?', 'postgres://b/db?']],
  ['postgres:///db?host=/run/postgresql', ['postgres:///db?host=/run/postgresql']],
])('%s has one connection string a host', (url, expected) => {
  expect(splitHosts(url)).toEqual(expected);
});

test.each([
  ['postgres://u:p@a:1/db', { host: 'a', port: 1 }],
  ['postgres://b/db', { host: 'b', port: 5432 }],
  ['postgres://[::1]:3/db', { host: '::1', port: 3 }],
])('%s is reached at its host and port', (url, expected) => {
  expect(hostOf(url)).toEqual(expected);
});
