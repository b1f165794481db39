import { afterEach, expect, test } from '@jest/globals';
import { FLAWLESS } from '../../lab/faults/judge.ts';
import { emptyLog } from '../../lab/load/load.ts';
import type { Answer } from '../../lab/proxies/rpc/endpoint.ts';
import { startStand } from '../setup/stand.ts';
import type { Stand } from '../setup/stand.ts';
import { waitForStatus } from '../../lab/stage/intents.ts';
import { deployToken, requestMint } from '../../lab/stage/tokens.ts';
import { SHORT_TIMINGS } from './timings.ts';

const missing = {
  error: { code: -32_000, message: 'missing trie node 5c7e9d (path ) state 0x5c7e9d is not available' },
};

let stand: Stand;
afterEach(() => stand.stop());

test.each<[string, Answer, number]>([
  ['refused by the node', missing, 20],
  ['never answered', 'drop', 3],
])(
  'calls whose simulation is %s wait alone, and are done once it is answered',
  async (_how, answer, calls) => {
    stand = await startStand({ blockTimeSeconds: 0.25 }, {}, { timings: SHORT_TIMINGS });
    const { mintmark, proxy } = stand;
    const [one, other] = [await mintmark.register(), await mintmark.register()];
    const coins = await Promise.all(Array.from({ length: calls }, () => deployToken(one)));
    const [fine, others] = [await deployToken(one), await deployToken(other)];
    await stand.quiet();
    let isRefusing = true;
    proxy.endpoint.layers.unshift(async (request, forward) => {
      const text = JSON.stringify(request.params).toLowerCase();
      const isMeant = coins.some((coin) => text.includes(coin.slice(2).toLowerCase()));
      return isRefusing && request.method === 'eth_call' && isMeant ? answer : forward(request);
    });
    const mints = await Promise.all(coins.map((coin) => requestMint(one, coin, { prefer: 'respond-async' })));
    expect((await requestMint(other, others)).status).toBe(200);
    // Nor does it hold up what else its account has.
    expect((await requestMint(one, fine)).status).toBe(200);
    for (const { intentId } of mints) await waitForStatus(one, intentId!, 'queued');
    isRefusing = false;
    await Promise.all(mints.map(({ intentId }) => waitForStatus(one, intentId!, 'confirmed')));
    expect(await stand.verdict(emptyLog())).toMatchObject(FLAWLESS);
  },
);
