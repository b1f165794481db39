import { describe, expect, test } from '@jest/globals';
import {
  EXCEPTIONS,
  findGaps,
  findOperation,
  readContractText,
  readDeclared,
  readRecord,
} from '../lab/stage/contract-coverage.ts';
import { startTestService } from '../lab/stage/service.ts';

const contract = readDeclared();
const everything = new Set(contract.declared.map(({ operation, status }) => `${operation} ${status}`));

/** contract-coverage-reporter.ts compares when all tests have run; here its parts are tested. */
describe('the check that a test brings about every answer of openapi.yaml', () => {
  test('finds every operation of the document by its path', () => {
    // `webhooks:` lists operations of receivers.
    const [served] = readContractText().split(/^webhooks:$/m);
    const ids = [...served!.matchAll(/^ +operationId: (\w+)$/gm)].map(([, id]) => id);
    expect(ids.length).toBeGreaterThan(20);
    expect(new Set(contract.declared.map(({ operation }) => operation))).toEqual(new Set(ids));
    const address = '0x3440326f551B8A7ee198cEE35cb5D517f2d296a2';
    expect(findOperation(contract.routes, 'GET', `/tokens/${address}`)).toBe('getToken');
    expect(findOperation(contract.routes, 'GET', `/tokens/${address}/metadata/keys?tokenId=1`)).toBe(
      'listMetadataKeys',
    );
    expect(findOperation(contract.routes, 'PUT', `/tokens/${address}`)).toBeNull();
    expect(findOperation(contract.routes, 'GET', '/nowhere')).toBeNull();
  });

  test('passes when every answer was seen', () => {
    expect(findGaps(contract, everything, EXCEPTIONS)).toEqual([]);
  });

  test('reports each answer that no test saw', () => {
    const needed = contract.declared.filter(
      ({ response }) => !EXCEPTIONS.some((exception) => exception.response === response),
    );
    expect(needed.length).toBeGreaterThan(100);
    for (const { operation, status } of needed) {
      const seen = new Set(everything);
      seen.delete(`${operation} ${status}`);
      expect(findGaps(contract, seen, EXCEPTIONS)).toEqual([
        `No test makes the service answer ${operation} with ${status}.`,
      ]);
    }
  });

  test('reports an exception that nothing needs', () => {
    const idle = { response: 'Teapot', reason: 'none' };
    expect(findGaps(contract, everything, [...EXCEPTIONS, idle])).toEqual([
      'The exception Teapot of any operation is not needed.',
    ]);
  });

  test('records what the running service answers to any client', async () => {
    await using mintmark = await startTestService();
    expect((await fetch(`${mintmark.url}/me`)).status).toBe(401);
    expect((await fetch(`${mintmark.url}/openapi.yaml?x=1`)).status).toBe(422);
    await mintmark.stop();
    expect(readRecord()).toContain('getProfile 401');
    expect(readRecord()).toContain('getOpenapi 422');
  });
});
