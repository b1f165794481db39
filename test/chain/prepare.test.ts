import { expect, test } from '@jest/globals';
import { PROFILES } from '../../src/chain/profile.ts';
import { createRpc } from '../../src/chain/rpc/rpc.ts';
import { createKeySigner } from '../../src/chain/signing/signer.ts';
import { prepareSystem } from '../../src/chain/system/prepare.ts';
import { describeSystem } from '../../src/chain/system/system-contracts.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { answerEach, startScriptedNode } from '../setup/scripted-node.ts';

const [FORMER, CURRENT] = [`0x${'01'.repeat(20)}`, `0x${'02'.repeat(20)}`] as const;

/** Starts a signer that is an executor of these Operators, without the admin's key. Returns what was logged. */
async function prepare(...executorOf: string[]): Promise<string> {
  await using node = await startScriptedNode(
    answerEach(({ params: [call] }) => {
      const { to } = call as { to: string };
      return { result: `0x${(executorOf.includes(to) ? '1' : '0').padStart(64, '0')}` };
    }),
  );
  using rpc = createRpc([node.url]);
  const payer = createKeySigner(embeddedAccounts[0].privateKey);
  let logged = '';
  await prepareSystem({
    ...{ rpc, chainId: 1n, profile: PROFILES['ethereum']!, payer, admin: null },
    log: createLogger('info', { write: (line: string) => void (logged += line) }),
    system: { ...describeSystem({ admin: payer.address, adminDelay: 0, chainId: 31_337n }), contracts: [] },
    ...{ operators: [CURRENT, FORMER], signers: [payer] },
  });
  return logged;
}

test.each([
  [FORMER, CURRENT],
  [CURRENT, FORMER],
])(
  'a signer that is an executor of %s starts, and the log says how it becomes one of %s',
  async (one, other) => {
    expect(await prepare(one)).toContain(`is no executor of the Operator ${other}: run`);
  },
);

test('a signer that is an executor of no Operator does not start', async () => {
  await expect(prepare()).rejects.toThrow(`is no executor of the Operator ${CURRENT}: run`);
  expect(await prepare(CURRENT, FORMER)).toBe('');
});
