import { expect, test } from '@jest/globals';
import { createRpc } from '../../src/chain/rpc/rpc.ts';
import { createKeySigner } from '../../src/chain/signing/signer.ts';
import { sendAndWait } from '../../src/chain/system/send-and-wait.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { installMonotonicClock } from '../setup/monotonic-clock.ts';
import { answerEach, startScriptedNode } from '../setup/scripted-node.ts';

test('what waits for a block says so after fifteen seconds, once', async () => {
  using clock = installMonotonicClock();
  const lines: string[] = [];
  let looks = 0;
  await using node = await startScriptedNode(
    answerEach(({ method }) => {
      if (method === 'eth_getBlockByNumber') return { result: { baseFeePerGas: '0x1' } };
      if (method !== 'eth_getTransactionReceipt') return { result: '0x1' };
      looks += 1;
      // Less than the fifteen seconds, more, and much more.
      clock.advance(looks === 1 ? 14_000 : 4_000);
      return { result: looks < 8 ? null : { status: '0x1' } };
    }),
  );
  using rpc = createRpc([node.url]);
  const log = createLogger('info', { write: (line: string) => void lines.push(line) });
  const signer = createKeySigner(embeddedAccounts[0].privateKey);
  const parts = { rpc, log, chainId: 31_337n, profile: { feeModel: 'eip1559' as const } };
  await sendAndWait(parts, signer, { to: `0x${'01'.repeat(20)}`, data: '0x' });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('waiting for a block with this transaction');
});
