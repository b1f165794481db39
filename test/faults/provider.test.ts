import { expect, test } from '@jest/globals';
import { openProvider } from '../../lab/stage/provider.ts';
import { answerEach, startScriptedNode } from '../setup/scripted-node.ts';

const HASH = `0x${'ab'.repeat(32)}`;
const ADDRESS = `0x${'01'.repeat(20)}`;
const RECEIPT = {
  ...{ transactionHash: HASH, transactionIndex: '0x0', blockHash: HASH, blockNumber: '0x1' },
  ...{ from: ADDRESS, to: ADDRESS, contractAddress: null, logs: [], logsBloom: `0x${'00'.repeat(256)}` },
  ...{ gasUsed: '0x5208', cumulativeGasUsed: '0x5208', effectiveGasPrice: '0x1', status: '0x1', type: '0x2' },
};

test('a receipt is found though no block comes after that of the transaction', async () => {
  let asked = 0;
  await using node = await startScriptedNode(
    answerEach(({ method }) => {
      if (method === 'eth_chainId') return { result: '0x7a69' };
      if (method === 'eth_blockNumber') return { result: '0x1' };
      asked += 1;
      return { result: asked > 1 ? RECEIPT : null };
    }),
  );
  using provider = openProvider(node.url, { batchMaxCount: 1 });
  const receipt = await new Promise((resolve) => void provider.once(HASH, resolve));
  expect(receipt).toMatchObject({ hash: HASH, status: 1 });
});
