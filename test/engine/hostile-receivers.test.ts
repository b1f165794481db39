import { afterEach, expect, jest, test } from '@jest/globals';
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

jest.setTimeout(120_000);

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
  const chain = openChain(mintmark);
  await makeRevert(chain, HOSTILE, 'no\0\x1b[2J');
  expect(await mint(account, badges, HOSTILE)).toMatchObject({
    status: 502,
    body: { code: 'CHAIN_ERROR', message: 'The call reverted: Error(no\ufffd\ufffd[2J)' },
  });
  expect(await mint(account, badges, RECIPIENT)).toMatchObject({ status: 200 });
  chain.close();
});

test('a receiver that imitates the Operator, simulated or mined, fails and holds up nobody', async () => {
  stand = await startStand({ blockTimeSeconds: 0.25 });
  const { proxy, mintmark } = stand;
  const { db } = mintmark.service.context;
  const [account, other] = [await mintmark.register(), await mintmark.register()];
  const [badges, others] = [await deployToken(account, 'ERC721'), await deployToken(other, 'ERC721')];
  const chain = openChain(mintmark);
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
  chain.close();
});
