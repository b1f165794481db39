import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { query } from '../../src/db/client.ts';
import { deployTargets } from '../../lab/load/load.ts';
import type { Target } from '../../lab/load/load.ts';
import { startStand } from '../setup/stand.ts';
import type { Stand } from '../setup/stand.ts';
import { withFullGas } from '../setup/full-gas.ts';
import { requestMint } from '../../lab/stage/tokens.ts';

/** Less than EIP-7825 lets a transaction have. */
const BLOCK_GAS = 15_000_000;

let stand: Stand;
let target: Target;

beforeAll(async () => {
  stand = await startStand({ gasLimit: BLOCK_GAS });
  [target] = (await deployTargets([await stand.mintmark.register()])) as [Target];
});

afterAll(() => stand.stop());

const mint = () => requestMint(target.account, target.address);

test('a call that gets all the gas there is gets no more than a block has', async () => {
  const { db } = stand.mintmark.service.context;
  expect(await withFullGas(db, mint)).toMatchObject({ status: 200 });
  const [row] = await query<{ gas: number }>(db, 'select max(gas_limit)::int as gas from transactions');
  expect(row!.gas).toBeLessThanOrEqual(BLOCK_GAS);
  expect(row!.gas).toBeGreaterThan(BLOCK_GAS * 0.9);
});

test('a call that needs more gas than a block has fails, and the next one goes', async () => {
  const { anvil } = stand;
  const code = await anvil.call('eth_getCode', [target.address, 'latest']);
  // jumpdest push0 jump: burns all that it gets.
  await anvil.call('anvil_setCode', [target.address, '0x5b5f56']);
  expect(await mint()).toMatchObject({ status: 502, body: { code: 'CHAIN_ERROR' } });
  await anvil.call('anvil_setCode', [target.address, code]);
  expect(await mint()).toMatchObject({ status: 200 });
});
