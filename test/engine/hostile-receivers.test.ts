import { afterEach, describe, expect, test } from '@jest/globals';
import { Interface, getAddress } from 'ethers';
import { operatorAbi } from '../../generated/contracts.ts';
import { intentId } from '../../src/chain/abi/operator.ts';
import { query } from '../../src/db/client.ts';
import { startStand } from '../setup/stand.ts';
import type { Stand } from '../setup/stand.ts';
import { openChain } from '../setup/chain.ts';
import { makeRevert, makeRevertWith } from '../setup/mining.ts';
import type { TestAccount } from '../../lab/stage/service.ts';
import { RECIPIENT, deployToken, requestMint } from '../../lab/stage/tokens.ts';

const HOSTILE = '0x00000000000000000000000000000000000bad00';
/** What a mint without metadata may use, its receiver's hook included. */
const MAX_MINT_GAS = 365_000;

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
    body: {
      code: 'CHAIN_ERROR',
      message: `The call reverted: ReceiverRefused(${getAddress(HOSTILE)}): Error(no\ufffd\ufffd[2J)`,
    },
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
  // condition push1 accept jumpi; burn: jumpdest push1 burn jump; accept: jumpdest push4 selector push1 224 shl ...
  // return
  return `0x${condition}60${byte(size + 7)}575b60${byte(size + 3)}565b63150b7a0260e01b5f5260205ff3`;
}

/** What an answer and the transactions of its intent say of a mint. */
interface Outcome {
  status: number;
  message?: string;
  /** Of each transaction that its call was in. */
  gasCaps: number[];
}

/** Mints one NFT to the hostile receiver. */
async function mintToHostile(account: TestAccount, badges: string): Promise<Outcome> {
  const { status, body, intentId } = await mint(account, badges, HOSTILE);
  await stand.quiet();
  const rows = await query<{ gas_cap: number }>(
    stand.mintmark.service.context.db,
    `select m.gas_cap from transaction_intents m join intents i on i.number = m.intent_number
      where i.id = :id order by m.transaction_id`,
    { id: intentId },
  );
  const gasCaps = rows.map(({ gas_cap }) => gas_cap);
  return status === 200 ? { status, gasCaps } : { status, message: (body as Refusal).message, gasCaps };
}

interface Refusal {
  message: string;
}

/** The same on a chain of its own, to a receiver with this code. */
async function mintTo(code: string): Promise<Outcome> {
  stand = await startStand({ blockTimeSeconds: 0.25 });
  const account = await stand.mintmark.register();
  const badges = await deployToken(account, 'ERC721');
  await stand.anvil.call('anvil_setCode', [HOSTILE, code]);
  return mintToHostile(account, badges);
}

test('a receiver that looks at the price of gas meets the same in the simulation as on the chain', async () => {
  // gasprice iszero
  expect(await mintTo(acceptIf('3a15'))).toMatchObject({ status: 502, gasCaps: [] });
});

test('a receiver that looks at the gas that is left meets the same in the simulation as on the chain', async () => {
  // push3 200000 gas gt: the mint alone would not be given so much.
  expect(await mintTo(acceptIf('62030d405a11'))).toEqual({ status: 200, gasCaps: [MAX_MINT_GAS] });
});

const ACCEPT = '63150b7a0260e01b5f5260205ff3';
/** push3 200000 gas gt push1 12 jumpi push0 push0 revert jumpdest, and it accepts. */
const REQUIRES_GAS = `0x62030d405a11600c575f5ffd5b${ACCEPT}`;
/**
 * Calls itself with 30 bytes, that with 29, and so on; the innermost call, without any, loops 4,000 times for 104,000
 * gas. Each one reverts when the one below did, and 38 % of its gas is left to them all: it does not look as if the cap
 * were used up.
 */
const DEEP = `0x3615603457601e3611601357600136036016565b601e5b5f5f825f5f305af16025575f5ffd5b${ACCEPT}5b610fa05b600190038060385700`;

test.each([
  ['requires gas', REQUIRES_GAS],
  ['needs it thirty calls deep', DEEP],
])('a receiver that %s gets all that it was promised, though it reverts with less', async (_how, code) => {
  expect(await mintTo(code)).toEqual({ status: 200, gasCaps: [MAX_MINT_GAS] });
});

test('the first NFT of a collection with a limit may go to a contract', async () => {
  stand = await startStand({ blockTimeSeconds: 0.25 });
  const account = await stand.mintmark.register();
  const badges = await deployToken(account, 'ERC721', true, { mintLimitPerDay: '10000', maxSupply: '10000' });
  await stand.anvil.call('anvil_setCode', [HOSTILE, `0x${ACCEPT}`]);
  expect(await mint(account, badges, HOSTILE)).toMatchObject({ status: 200 });
});

test('a receiver that reverts in the block for want of gas gets all that it was promised', async () => {
  stand = await startStand({});
  const { anvil, proxy, mintmark } = stand;
  const account = await mintmark.register();
  const badges = await deployToken(account, 'ERC721');
  await stand.quiet();
  proxy.options.before = (method) =>
    method === 'eth_sendRawTransaction' ? anvil.call('anvil_setCode', [HOSTILE, DEEP]) : undefined;
  const { status, gasCaps } = await mintToHostile(account, badges);
  expect({ status, gasCaps }).toEqual({ status: 200, gasCaps: [expect.any(Number), MAX_MINT_GAS] });
});

test('a receiver that takes the token for more gas than a hook has gets none, and nothing is sent', async () => {
  // push3 400000 gas gt
  expect(await mintTo(acceptIf('62061a805a11'))).toEqual({
    status: 502,
    message: `The call reverted: ReceiverRefused(${getAddress(HOSTILE)}) without a reason`,
    gasCaps: [],
  });
});

describe('a receiver that takes the token in each simulation, and burns its gas in each transaction:', () => {
  let account: TestAccount;
  let badges: string;
  let bystander: { account: TestAccount; badges: string };

  /** Starts a chain on which each transaction makes its block, where the receiver changes its code as if it knew. */
  async function startWith(accepting: string): Promise<void> {
    stand = await startStand({});
    const { anvil, proxy, mintmark } = stand;
    const other = await mintmark.register();
    account = await mintmark.register();
    badges = await deployToken(account, 'ERC721');
    bystander = { account: other, badges: await deployToken(other, 'ERC721') };
    await stand.quiet();
    // jumpdest push0 jump
    const codes: Partial<Record<string, string>> = {
      eth_call: accepting,
      eth_sendRawTransaction: '0x5b5f56',
    };
    proxy.options.before = (method) => {
      const code = codes[method];
      return code === undefined ? undefined : anvil.call('anvil_setCode', [HOSTILE, code]);
    };
  }

  async function burntGas(): Promise<number> {
    const { anvil, mintmark } = stand;
    const rows = await query<{ hash: string }>(
      mintmark.service.context.db,
      `select distinct '0x' || encode(t.mined_hash, 'hex') as hash
         from transactions t join transaction_intents m on m.transaction_id = t.id
         join intents i on i.number = m.intent_number where i.status = 'failed'`,
    );
    const receipts = await Promise.all(
      rows.map(({ hash }) => anvil.call<{ gasUsed: string }>('eth_getTransactionReceipt', [hash])),
    );
    return receipts.reduce((sum, { gasUsed }) => sum + Number(gasUsed), 0);
  }

  async function expectBystanderServed(): Promise<void> {
    expect(await mint(bystander.account, bystander.badges, RECIPIENT)).toMatchObject({ status: 200 });
    // What failed costs no quota.
    expect((await account.api.GET('/stats')).data!.mintsUsed).toBe(1);
  }

  test.each([
    // push1 1
    ['always', acceptIf('6001')],
    // push3 200000 gas gt
    ['for the gas of a hook', acceptIf('62030d405a11')],
  ])('that it takes %s burns what a hook has, and is not tried again', async (_when, accepting) => {
    await startWith(accepting);
    for (let mints = 0; mints < 2; mints += 1)
      expect(await mintToHostile(account, badges)).toEqual({
        status: 502,
        message: `The call reverted: ReceiverRefused(${getAddress(HOSTILE)}) without a reason`,
        gasCaps: [MAX_MINT_GAS],
      });
    expect(await burntGas()).toBeLessThan(2 * 420_000);
    await expectBystanderServed();
  });
});

test('a receiver that looks at the number of the block burns its cap twice at the most', async () => {
  stand = await startStand({});
  const account = await stand.mintmark.register();
  const badges = await deployToken(account, 'ERC721');
  await stand.quiet();
  // number push1 1 and
  await stand.anvil.call('anvil_setCode', [HOSTILE, acceptIf('43600116')]);
  for (let mints = 0; mints < 3; mints += 1) {
    const { gasCaps } = await mintToHostile(account, badges);
    expect(gasCaps.length).toBeLessThanOrEqual(2);
    expect(Math.max(0, ...gasCaps)).toBeLessThanOrEqual(MAX_MINT_GAS);
    // The next one meets the other parity.
    await stand.anvil.call('evm_mine');
  }
  expect(await mint(account, badges, RECIPIENT)).toMatchObject({ status: 200 });
});
