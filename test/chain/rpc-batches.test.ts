import { describe, expect, test } from '@jest/globals';
import { createRpc } from '../../src/chain/rpc/rpc.ts';
import type { Rpc } from '../../src/chain/rpc/rpc.ts';
import { answerEach, startScriptedNode } from '../setup/scripted-node.ts';

/** Three calls that travel together; each asks for the balance of another account. */
const askThree = (rpc: Rpc): Promise<PromiseSettledResult<unknown>[]> =>
  Promise.allSettled(['a', 'b', 'c'].map((account) => rpc.call('eth_getBalance', [account])));
const values = (answers: readonly PromiseSettledResult<unknown>[]): unknown[] =>
  answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : 'refused'));
const balanceOf = answerEach(({ params }) => ({ result: `of ${String(params[0])}` }));

describe('a batch', () => {
  test('is one HTTP request, and its answers may come in any order', async () => {
    await using node = await startScriptedNode((calls, response, isBatch) =>
      balanceOf(calls.toReversed(), response, isBatch),
    );
    const rpc = createRpc([node.url]);
    expect(values(await askThree(rpc))).toEqual(['of a', 'of b', 'of c']);
    expect(node.requests).toEqual([['eth_getBalance', 'eth_getBalance', 'eth_getBalance']]);
    rpc.close();
  });

  test('with one refused call resolves the others', async () => {
    await using node = await startScriptedNode(
      answerEach(({ params }) =>
        params[0] === 'b'
          ? { error: { code: -32_000, message: 'no' } }
          : { result: `of ${String(params[0])}` },
      ),
    );
    const rpc = createRpc([node.url]);
    expect(values(await askThree(rpc))).toEqual(['of a', 'refused', 'of c']);
    rpc.close();
  });

  test('with one unanswered call resolves the others', async () => {
    await using node = await startScriptedNode((calls, response) => {
      const answers = calls.slice(1).map(({ id, params }) => ({ id, result: `of ${String(params[0])}` }));
      response.end(JSON.stringify(answers));
    });
    const rpc = createRpc([node.url]);
    expect(values(await askThree(rpc))).toEqual(['refused', 'of b', 'of c']);
    rpc.close();
  });

  test('is not sent again to an endpoint that refuses batches: each call is sent alone', async () => {
    await using node = await startScriptedNode((calls, response, isBatch) => {
      if (isBatch) response.writeHead(413).end('too large');
      else balanceOf(calls, response, isBatch);
    });
    const rpc = createRpc([node.url]);
    await askThree(rpc);
    for (let round = 0; round < 3; round += 1)
      expect(values(await askThree(rpc))).toEqual(['of a', 'of b', 'of c']);
    expect(node.requests.filter((methods) => methods.length > 1)).toHaveLength(1);
    rpc.close();
  });
});

describe('an error that says that the endpoint cannot answer', () => {
  test.each([
    [-32_005, 'limit exceeded'],
    [-32_603, 'internal error'],
    [-32_097, 'too many requests'],
  ])('%i sends the call to the next endpoint', async (code, message) => {
    await using troubled = await startScriptedNode(answerEach(() => ({ error: { code, message } })));
    await using sound = await startScriptedNode(answerEach(() => ({ result: '0x7' })));
    const rpc = createRpc([troubled.url, sound.url]);
    expect(await rpc.call('eth_gasPrice', [])).toBe('0x7');
    expect([troubled.requests, sound.requests]).toEqual([[['eth_gasPrice']], [['eth_gasPrice']]]);
    rpc.close();
  });

  test('is the error of the call when the other endpoints fail as well', async () => {
    const troubled = answerEach(() => ({ error: { code: -32_005, message: 'limit exceeded' } }));
    await using first = await startScriptedNode(troubled);
    await using second = await startScriptedNode(troubled);
    const rpc = createRpc([first.url, second.url]);
    await expect(rpc.call('eth_gasPrice', [])).rejects.toMatchObject({
      name: 'RpcRefused',
      rpcCode: -32_005,
      message: 'limit exceeded',
    });
    rpc.close();
  });
});

test.each([
  [3, 'execution reverted'],
  [-32_000, 'nonce too low'],
  [-32_602, 'invalid params'],
])('the refusal %i is an answer: no other endpoint is asked', async (code, message) => {
  await using refusing = await startScriptedNode(
    answerEach(() => ({ error: { code, message, data: '0xabcd' } })),
  );
  await using other = await startScriptedNode(answerEach(() => ({ result: '0x7' })));
  const rpc = createRpc([refusing.url, other.url]);
  await expect(rpc.call('eth_call', [])).rejects.toMatchObject({ rpcCode: code, message, data: '0xabcd' });
  expect(other.requests).toEqual([]);
  rpc.close();
});
