import { afterEach, expect, jest, test } from '@jest/globals';
import { Interface } from 'ethers';
import { operatorAbi } from '../../generated/contracts.ts';
import { query } from '../../src/db/client.ts';
import { startStand } from '../faults/stand.ts';
import type { Stand } from '../faults/stand.ts';
import { openChain } from '../setup/chain.ts';
import { makeRevert, makeRevertWith } from '../setup/mining.ts';
import type { TestAccount } from '../setup/service.ts';

jest.setTimeout(120_000);

const HOSTILE = '0x00000000000000000000000000000000000bad00';
const BOB = '0x3440326f551B8A7ee198cEE35cb5D517f2d296a2';

let stand: Stand;
afterEach(() => stand.stop());

async function deployBadges(account: TestAccount): Promise<string> {
  const { data } = await account.api.POST('/tokens', {
    body: { type: 'ERC721', name: 'Badge', symbol: 'B', isPermissionless: true },
  });
  if (!data || !('success' in data)) throw new Error('no token');
  return data.data.address;
}

async function mint(account: TestAccount, address: string, owner: string) {
  const params = { path: { address } };
  const { response, error } = await account.api.POST('/tokens/{address}/mint', { params, body: { owner } });
  return { status: response.status, message: error?.message };
}

test('a receiver whose reason no database takes fails alone', async () => {
  stand = await startStand({ blockTimeSeconds: 1 });
  const { mintmark } = stand;
  const account = await mintmark.register();
  const badges = await deployBadges(account);
  const chain = openChain(mintmark);
  await makeRevert(chain, HOSTILE, 'no\0\x1b[2J');
  expect(await mint(account, badges, HOSTILE)).toEqual({
    status: 502,
    message: 'The call reverted: Error(no\ufffd\ufffd[2J)',
  });
  expect(await mint(account, badges, BOB)).toMatchObject({ status: 200 });
  chain.close();
});

test('a receiver that speaks like the Operator, at once or only when it is mined, fails and holds up nobody', async () => {
  stand = await startStand({ blockTimeSeconds: 1 });
  const { proxy, mintmark } = stand;
  const { db } = mintmark.service.context;
  const [account, other] = [await mintmark.register(), await mintmark.register()];
  const [badges, others] = [await deployBadges(account), await deployBadges(other)];
  const chain = openChain(mintmark);
  const imitate = async (): Promise<void> => {
    const [last] = await query<{ number: bigint }>(db, 'select max(number) as number from intents');
    const refusal = new Interface(operatorAbi).encodeErrorResult('IntentAlreadyDone', [last!.number]);
    await makeRevertWith(chain, HOSTILE, refusal);
  };
  proxy.options.before = (method) => (method === 'eth_sendRawTransaction' ? imitate() : undefined);
  expect(await mint(account, badges, HOSTILE)).toMatchObject({ status: 502 });
  proxy.options.before = (method) => (method === 'eth_call' ? imitate() : undefined);
  expect(await mint(account, badges, HOSTILE)).toMatchObject({ status: 502 });
  expect(await mint(other, others, BOB)).toMatchObject({ status: 200 });
  chain.close();
});
