import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startStand } from '../setup/stand.ts';
import type { Stand } from '../setup/stand.ts';
import { createAsk } from '../../lab/stage/request.ts';
import { deployToken, requestMint } from '../../lab/stage/tokens.ts';

const IDS = 30;

let stand: Stand;
/** Views that the node was asked for. */
let views = 0;

beforeAll(async () => {
  // Blocks come with transactions alone, so that all reads of the test are of one.
  stand = await startStand({});
  stand.proxy.endpoint.layers.unshift(async (request, forward) => {
    if (request.method === 'eth_call') views += 1;
    return forward(request);
  });
});

afterAll(() => stand?.stop());

test('ids that nobody has minted cost the node one view of their contract for a block, however many are asked for', async () => {
  const alice = await stand.mintmark.register();
  const art = await deployToken(alice, 'ERC721');
  await requestMint(alice, art, { amount: null });
  await stand.quiet();
  const ask = createAsk(stand.mintmark.url);
  const read = (id: number) => ask(null, 'GET', `/tokenURI/${art}/${id}`);
  expect((await read(1)).status).toBe(200);
  const before = views;
  for (let id = 2; id < 2 + IDS; id += 1) {
    expect(await read(id)).toMatchObject({
      status: 422,
      body: { code: 'VALIDATION_ERROR', message: `tokenId ${id} was never minted, or is burned` },
    });
  }
  // The block of the mint may have come between.
  expect(views - before).toBeLessThanOrEqual(1);
  await requestMint(alice, art, { amount: null });
  expect((await read(2)).status).toBe(200);
});
