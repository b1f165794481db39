import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { id } from 'ethers';
import { startAnvil } from '../../lab/stage/anvil.ts';
import type { Anvil } from '../../lab/stage/anvil.ts';
import { startTestService } from '../../lab/stage/service.ts';
import { deployToken } from '../../lab/stage/tokens.ts';
import { OPERATOR } from '../../src/chain/abi/interfaces.ts';
import { profileOf } from '../../src/chain/profile.ts';
import { createKeySigner } from '../../src/chain/signing/signer.ts';
import { prepareSystem } from '../../src/chain/system/prepare.ts';
import { encodeAdminExecute } from '../../src/chain/system/roles.ts';
import { readConfig } from '../../src/config.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { startService } from '../../src/start/service.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { createTestDatabase } from '../../lab/stage/database.ts';
import { answerEach, startScriptedNode } from '../setup/scripted-node.ts';

const SIGNER_KEY = `0x${'11'.repeat(32)}`;

/** Starts a service for a node that knows nothing but its chain's id. */
async function startOn(chainId: number): Promise<void> {
  await using database = await createTestDatabase();
  await using node = await startScriptedNode(answerEach(() => ({ result: `0x${chainId.toString(16)}` })));
  const environment = {
    DATABASE_URL: database.url,
    RPC_URL: node.url,
    SIGNER_KEY,
    PORT: '0',
    LOG_LEVEL: 'silent',
  };
  const service = await startService(readConfig([], environment), createLogger('silent'));
  await service.stop();
}

test.each([1, 5, 11_155_111, 8_453])(
  'on chain %i nobody becomes the Operator’s admin who was not named',
  async (chainId) => {
    await expect(startOn(chainId)).rejects.toThrow(/^OPERATOR_ADMIN is not set: /);
  },
);

const [{ address: KEY }, { address: ELSEWHERE }] = embeddedAccounts;
let anvil: Anvil;
beforeEach(async () => {
  anvil = await startAnvil({ chainId: 11_155_111 });
});
afterEach(() => anvil.stop());

const onMain = (variables: Record<string, string>) =>
  startTestService({ NETWORK: 'main', ...variables }, { rpcUrl: anvil.url });

test('on the main network the admin is a contract, or said to be a key', async () => {
  const refused = `OPERATOR_ADMIN ${ELSEWHERE} is no contract`;
  await expect(onMain({ OPERATOR_ADMIN: ELSEWHERE })).rejects.toThrow(refused);
  await anvil.call('anvil_setCode', [ELSEWHERE, `0xef0100${'11'.repeat(20)}`]);
  await expect(onMain({ OPERATOR_ADMIN: ELSEWHERE })).rejects.toThrow(refused);
  await anvil.call('anvil_setCode', [ELSEWHERE, '0x']);
  const meant = { OPERATOR_ADMIN: ELSEWHERE, OPERATOR_ADMIN_IS_EOA: 'true' };
  await expect(onMain(meant)).rejects.toThrow(/is no executor of the Operator/);
});

test('on the main network a signer is not the admin', async () => {
  const start = onMain({ OPERATOR_ADMIN: KEY, OPERATOR_ADMIN_IS_EOA: 'true' });
  await expect(start).rejects.toThrow(`The signer ${KEY.toLowerCase()} may start the execution`);
});

test('a further signer waits for the delay of the admin, though its key is here', async () => {
  const variables = { OPERATOR_ADMIN: KEY, CHAIN_PROFILE: 'anvil' };
  await using mintmark = await startTestService(variables, { rpcUrl: anvil.url });
  await deployToken(await mintmark.register());
  const { rpc, chainId, system } = mintmark.service.context;
  const profile = profileOf(chainId);
  const [admin, further] = embeddedAccounts.map(({ privateKey }) => createKeySigner(privateKey));
  const preparation = prepareSystem({
    ...{ rpc, chainId, profile, system, operators: [system.operator], log: createLogger('silent') },
    ...{ signers: [admin!, further!], payer: admin!, admin: admin! },
  });
  await expect(preparation).rejects.toThrow(`The signer ${further!.address} is no executor of the Operator`);
});

test('a signer that is a guardian is refused', async () => {
  await using mintmark = await startTestService({ OPERATOR_ADMIN: KEY }, { rpcUrl: anvil.url });
  const { operator } = mintmark.service.context.system;
  const role = [id('GUARDIAN_ROLE'), KEY];
  const data = OPERATOR.encodeFunctionData('grantRole', role) as Hex;
  const grant = encodeAdminExecute({ target: operator, data });
  await anvil.call('eth_sendTransaction', [{ from: KEY, to: operator, data: grant }]);
  await expect(mintmark.restart()).rejects.toThrow(`The signer ${KEY.toLowerCase()} may start the execution`);
});
