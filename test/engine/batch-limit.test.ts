import { expect, test } from '@jest/globals';
import { startAnvil } from '../../lab/stage/anvil.ts';
import { startScriptedNode } from '../setup/scripted-node.ts';
import { startTestService } from '../../lab/stage/service.ts';
import { deployToken, requestMint } from '../../lab/stage/tokens.ts';

const MAX_BATCH_CALLS = 2;

test.each([
  ['an array with one error under the id of the first call', true],
  ['an error object', false],
])('behind an endpoint that refuses batches with %s, all that is mined is seen', async (_form, isArray) => {
  await using anvil = await startAnvil();
  const forward = async (body: unknown): Promise<string> => {
    const headers = { 'Content-Type': 'application/json' };
    return (await fetch(anvil.url, { method: 'POST', headers, body: JSON.stringify(body) })).text();
  };
  let refused = 0;
  await using endpoint = await startScriptedNode((calls, response, isBatch) => {
    if (calls.length > MAX_BATCH_CALLS) {
      refused += 1;
      const error = { code: -32_600, message: 'batch too large' };
      const answer = { jsonrpc: '2.0', id: isArray ? calls[0]!.id : null, error };
      response.end(JSON.stringify(isArray ? [answer] : answer));
      return;
    }
    forward(isBatch ? calls : calls[0])
      .then((text) => response.end(text))
      .catch(() => response.destroy());
  });
  await using mintmark = await startTestService({}, { rpcUrl: endpoint.url });
  const account = await mintmark.register();
  const tokens = await Promise.all(Array.from({ length: 6 }, () => deployToken(account)));
  const mints = await Promise.all(tokens.map(async (token) => (await requestMint(account, token)).status));
  expect(mints).toEqual(Array(6).fill(200));
  expect(refused).toBeGreaterThan(0);
});
