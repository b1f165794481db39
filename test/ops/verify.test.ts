import { execFile } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Wallet } from 'ethers';
import { describeSystem, usualAdminDelay } from '../../src/chain/system/system-contracts.ts';
import type { System } from '../../src/chain/system/system-contracts.ts';
import { readDeploymentId } from '../../src/engine/index.ts';
import { DETERMINISTIC_DEPLOYER } from '../../src/lib/deterministic-deployer.ts';
import { startAnvil } from '../../lab/stage/anvil.ts';
import type { Anvil } from '../../lab/stage/anvil.ts';
import { createTestDatabase, openTestDb } from '../../lab/stage/database.ts';
import { bareEnvironment } from '../../lab/stage/bare-environment.ts';
import { startSourcify } from './sourcify.ts';

/** The first account of anvil, which has ether. */
const DEPLOYER = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';

let anvil: Anvil;
let sourcify: Awaited<ReturnType<typeof startSourcify>>;
const admin = Wallet.createRandom().address;
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let system: System;

beforeAll(async () => {
  anvil = await startAnvil({ chainId: 84_532 });
  database = await createTestDatabase();
  await using db = openTestDb(database.url, 1);
  const deploymentId = await readDeploymentId(db);
  const chainId = 84_532n;
  system = describeSystem({ admin, adminDelay: usualAdminDelay(chainId), chainId, deploymentId });
  sourcify = await startSourcify((address) => anvil.call('eth_getCode', [address, 'latest']));
  for (const { deployment } of system.contracts)
    await anvil.call('eth_sendTransaction', [
      { from: DEPLOYER, to: DETERMINISTIC_DEPLOYER.address, data: deployment, gas: '0xf42400' },
    ]);
});
afterAll(async () => {
  sourcify.stop();
  await anvil.stop();
  await database[Symbol.asyncDispose]();
});

function verify(environment: Record<string, string>) {
  return new Promise<{ code: number; text: string }>((resolve) => {
    const variables = {
      RPC_URL: `http://127.0.0.1:9,${anvil.url}`,
      DATABASE_URL: database.url,
      SOURCIFY_URL: sourcify.url,
    };
    const env = { ...bareEnvironment(), ...variables, OPERATOR_ADMIN: admin, ...environment };
    execFile(process.execPath, ['scripts/verify.ts'], { env }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, text: stdout + stderr }),
    );
  });
}

test('what npm run verify submits compiles to the deployed code of every system contract', async () => {
  const { code, text } = await verify({});
  expect(text).toContain('6 of 6: CollectionFactory');
  expect(code).toBe(0);
  for (const { address, name } of system.contracts)
    expect([name, sourcify.verdicts.get(address)]).toEqual([name, { match: 'match' }]);
  expect(sourcify.submissions).toHaveLength(6);
});

test('a missing contract is reported', async () => {
  const { code, text } = await verify({ OPERATOR_ADMIN: Wallet.createRandom().address });
  expect(code).toBe(1);
  expect(text).toMatch(/^1 of 6: Operator at 0x[0-9a-f]{40} is not there: start an engine once/);
});
