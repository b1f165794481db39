import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openChain } from '../setup/chain.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';

const MINTS = 100;
const RECIPIENT = '0x3440326f551B8A7ee198cEE35cb5D517f2d296a2';

let mintmark: TestService;
let chain: ReturnType<typeof openChain>;

beforeAll(async () => {
  mintmark = await startTestService();
  chain = openChain(mintmark);
});

afterAll(async () => {
  chain?.close();
  await mintmark?.stop();
});

async function deploy({ api }: TestAccount): Promise<string> {
  const { data } = await api.POST('/tokens', {
    body: { type: 'ERC20', name: 'Coin', symbol: 'C', decimals: 18, isPermissionless: true },
  });
  return (data as { data: { address: string } }).data.address;
}

test('parallel mints of different accounts and tokens share transactions, and each has its own effect', async () => {
  const accounts = await Promise.all(Array.from({ length: MINTS }, () => mintmark.register()));
  const addresses = await Promise.all(accounts.map(deploy));
  expect(new Set(addresses).size).toBe(MINTS);

  const { rpc, db } = mintmark.service.context;
  const callsBefore = rpc.counts();
  let roundTrips = 0;
  db.on('query', () => (roundTrips += 1));
  const answers = await Promise.all(
    accounts.map(({ api }, index) =>
      api.POST('/tokens/{address}/mint', {
        params: { path: { address: addresses[index]! } },
        body: { owner: RECIPIENT, amount: String(index + 1) },
      }),
    ),
  );
  const calls = Object.entries(rpc.counts()).reduce(
    (sum, [method, count]) => sum + count - (callsBefore[method] ?? 0),
    0,
  );
  const transactions = new Set(answers.map(({ response }) => response.headers.get('Transaction-Hash')));
  process.stdout.write(
    `${MINTS} parallel mints: ${transactions.size} transactions, ${calls} RPC calls, ${roundTrips} database round trips\n`,
  );

  expect(answers.map(({ response }) => response.status)).toEqual(answers.map(() => 200));
  const balances = await Promise.all(
    addresses.map((address) => chain.erc20(address).getFunction('balanceOf')(RECIPIENT) as Promise<bigint>),
  );
  expect(balances).toEqual(addresses.map((_, index) => BigInt(index + 1)));
  // Requests trickle in while the first transaction is under way; without aggregation there would be 100 of them.
  expect(transactions.size).toBeLessThan(MINTS / 4);
  expect(calls / MINTS).toBeLessThan(1);
  expect(roundTrips / MINTS).toBeLessThan(3);
});

test('one bad call of a batch fails alone', async () => {
  const account = await mintmark.register();
  const { data } = await account.api.POST('/tokens', {
    body: { type: 'ERC721', name: 'Art', symbol: 'A', isPermissionless: true },
  });
  const { address } = (data as { data: { address: string } }).data;
  const owners = Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? RECIPIENT : address));
  const answers = await Promise.all(
    owners.map((owner) =>
      account.api.POST('/tokens/{address}/mint', { params: { path: { address } }, body: { owner } }),
    ),
  );
  expect(answers.map(({ response }) => response.status)).toEqual(
    owners.map((_, index) => (index % 2 === 0 ? 200 : 502)),
  );
  expect(await chain.erc721(address).getFunction('totalSupply')()).toBe(5n);
  expect((await account.api.GET('/stats')).data!.mintsUsed).toBe(6);
});
