import { afterEach, expect, test } from '@jest/globals';
import { Interface } from 'ethers';
import { operatorAbi } from '../../generated/contracts.ts';
import { intentId } from '../../src/chain/abi/operator.ts';
import { query } from '../../src/db/client.ts';
import { startStand } from '../faults/stand.ts';
import type { Stand } from '../faults/stand.ts';
import { openChain } from '../setup/chain.ts';
import { makeRevert, makeRevertWith } from '../setup/mining.ts';
import type { TestAccount } from '../setup/service.ts';
import { RECIPIENT, deployToken, requestMint } from '../setup/tokens.ts';

const HOSTILE = '0x00000000000000000000000000000000000bad00';

let stand: Stand;
afterEach(() => stand.stop());

const mint = (account: TestAccount, badges: string, owner: string) =>
  requestMint(account, badges, { owner, amount: null });

test('a receiver whose revert reason no database takes fails alone', async () => {
  stand = await startStand({ blockTimeSeconds: 0.25 });
  const { mintmark } = stand;
  const account = await mintmark.register();
  const badges = await deployToken(account, 'ERC721');
  using chain = openChain(mintmark);
  await makeRevert(chain, HOSTILE, 'no\0\x1b[2J');
  expect(await mint(account, badges, HOSTILE)).toMatchObject({
    status: 502,
    body: { code: 'CHAIN_ERROR', message: 'The call reverted: Error(no\ufffd\ufffd[2J)' },
  });
  expect(await mint(account, badges, RECIPIENT)).toMatchObject({ status: 200 });
});

test('a receiver that imitates the Operator, simulated or mined, fails and holds up nobody', async () => {
  stand = await startStand({ blockTimeSeconds: 0.25 });
  const { proxy, mintmark } = stand;
  const { db } = mintmark.service.context;
  const [account, other] = [await mintmark.register(), await mintmark.register()];
  const [badges, others] = [await deployToken(account, 'ERC721'), await deployToken(other, 'ERC721')];
  using chain = openChain(mintmark);
  const imitate = async (): Promise<void> => {
    const [last] = await query<{ number: bigint }>(db, 'select max(number) as number from intents');
    const refusal = new Interface(operatorAbi).encodeErrorResult('IntentAlreadyDone', [
      intentId(1n, last!.number),
    ]);
    await makeRevertWith(chain, HOSTILE, refusal);
  };
  proxy.options.before = (method) => (method === 'eth_sendRawTransaction' ? imitate() : undefined);
  expect(await mint(account, badges, HOSTILE)).toMatchObject({ status: 502 });
  proxy.options.before = (method) => (method === 'eth_call' ? imitate() : undefined);
  expect(await mint(account, badges, HOSTILE)).toMatchObject({ status: 502 });
  expect(await mint(other, others, RECIPIENT)).toMatchObject({ status: 200 });
});

/** Code that accepts an NFT (ERC-721's onERC721Received) when this condition holds, and else burns all its gas. */
function acceptIf(condition: string): string {
  const size = condition.length / 2;
  const byte = (value: number): string => value.toString(16).padStart(2, '0');
  // condition push1 accept jumpi; burn: jumpdest push1 burn jump; accept: jumpdest push4 selector push1 224 shl ... return
  return `0x${condition}60${byte(size + 7)}575b60${byte(size + 3)}565b63150b7a0260e01b5f5260205ff3`;
}

/** Mints one NFT to a receiver with this code, and returns the answer and how many transactions its call was in. */
async function mintTo(code: string): Promise<{ status: number; transactions: number }> {
  stand = await startStand({ blockTimeSeconds: 0.25 });
  const { anvil, mintmark } = stand;
  const account = await mintmark.register();
  const badges = await deployToken(account, 'ERC721');
  await anvil.call('anvil_setCode', [HOSTILE, code]);
  const { status, intentId } = await requestMint(account, badges, { owner: HOSTILE, amount: null });
  await stand.quiet();
  const transactions = await query(
    mintmark.service.context.db,
    `select 1 from transaction_intents m join intents i on i.number = m.intent_number where i.id = :id`,
    { id: intentId },
  );
  return { status, transactions: transactions.length };
}

test('a receiver that looks at the price of gas meets the same in the simulation as on the chain', async () => {
  // gasprice iszero
  expect(await mintTo(acceptIf('3a15'))).toEqual({ status: 502, transactions: 0 });
});

test('a receiver that looks at the gas that is left meets the same in the simulation as on the chain', async () => {
  // push3 300000 gas gt: the mint alone would not be given so much.
  expect(await mintTo(acceptIf('620493e05a11'))).toEqual({ status: 200, transactions: 1 });
});
