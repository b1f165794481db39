import { expect, test } from '@jest/globals';
import { credentialOf } from '../../packages/console/src/api/credentials.ts';
import { readContract } from '../../src/http/document.ts';

const operations = readContract().operations;

/** The security scheme of the contract that a credential of the console is. */
const SCHEMES = { session: 'session', accessToken: 'accessToken', sandboxKey: 'sandboxKey' } as const;

test.each([false, true])(
  'each operation gets a credential that it accepts, in the sandbox: %s',
  (isSandbox) => {
    const wrong = operations.flatMap(({ id, path, accepts }) => {
      const credential = credentialOf(path, isSandbox);
      const fits = credential === 'none' ? accepts.length === 0 : accepts.includes(SCHEMES[credential]);
      return fits ? [] : [`${id}: ${credential}, but it accepts ${accepts.join(', ') || 'everybody'}`];
    });
    // The page sends it with the token that it ends.
    expect(wrong).toEqual(['signOut: session, but it accepts accessToken']);
  },
);

test('in the sandbox everything that knows one is asked with its key', () => {
  const withoutKey = operations.filter(
    ({ path, accepts }) => accepts.includes('sandboxKey') && credentialOf(path, true) !== 'sandboxKey',
  );
  // What it draws belongs to no environment.
  expect(withoutKey.map(({ id }) => id)).toEqual(['previewMetadata']);
});
