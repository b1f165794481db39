import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Contract } from 'ethers';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { openChain } from '../setup/chain.ts';
import { waitForStatus } from '../../lab/stage/intents.ts';
import { withoutBlocks } from '../setup/mining.ts';
import { createAsk } from '../../lab/stage/request.ts';
import type { Ask } from '../../lab/stage/request.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';
import { RECIPIENT, deployToken, requestMint } from '../../lab/stage/tokens.ts';
import type { TestAnswer } from '../../lab/stage/tokens.ts';

const OWNER: string = embeddedAccounts[3].address;
const HOLDER: string = embeddedAccounts[4].address;
const SPENDER: string = embeddedAccounts[5].address;
const HASH = /^0x[0-9a-f]{64}$/;

let mintmark: TestService;
let chain: ReturnType<typeof openChain>;
let ask: Ask;
let alice: TestAccount;
let bob: TestAccount;

beforeAll(async () => {
  mintmark = await startTestService();
  chain = openChain(mintmark);
  ask = createAsk(mintmark.url);
  [alice, bob] = await Promise.all([mintmark.register(), mintmark.register()]);
});

afterAll(async () => {
  chain?.close();
  await mintmark?.stop();
});

const control = (address: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  ask(alice, 'POST', `/tokens/${address}/${path}`, body, headers);
const mint = (address: string, amount?: string, owner = RECIPIENT): Promise<TestAnswer> =>
  ask(alice, 'POST', `/tokens/${address}/mint`, { owner, ...(amount ? { amount } : {}) });
/** Transactions of the signer: a busy machine may send one twice. */
const sent = async (): Promise<number> =>
  Number(await chain.provider.send('eth_getTransactionCount', [embeddedAccounts[0].address, 'pending']));
const mintsUsed = async () => (await alice.api.GET('/stats')).data!.mintsUsed;
const read = async (address: string) => (await ask(alice, 'GET', `/tokens/${address}`)).body;

function failed(answer: TestAnswer) {
  const { code, message } = answer.body as { code: string; message: string };
  return `${answer.status} ${code} ${message}`;
}

/** Calls a function of the contract as an account outside of the service. */
async function callAs(from: string, address: string, name: string, given: unknown[]): Promise<void> {
  const signer = await chain.provider.getSigner(from);
  const data = chain.erc20(address).interface.encodeFunctionData(name, given);
  await (await signer.sendTransaction({ to: address, data })).wait();
}

/** Whether a holder may do this at the latest block. */
async function allowed(contract: Contract, name: string, given: unknown[], from = HOLDER): Promise<string> {
  try {
    await contract.getFunction(name).staticCall(...given, { from });
    return 'allowed';
  } catch (error) {
    return (error as { revert?: { name: string } }).revert?.name ?? String(error);
  }
}

const PLAIN = [
  ['pause', 'pause', 'paused', true],
  ['unpause', 'unpause', 'paused', false],
  ['lock-transfers', 'lock_transfers', 'transferLocked', true],
  ['unlock-transfers', 'unlock_transfers', 'transferLocked', false],
] as const;

const OF_ACCOUNTS = [
  ['freeze', 'freeze', 'isFrozen', true],
  ['unfreeze', 'unfreeze', 'isFrozen', false],
  ['approve-account', 'approve_account', 'isApprovedAccount', true],
  ['unapprove-account', 'unapprove_account', 'isApprovedAccount', false],
] as const;

function expectSent(answer: TestAnswer): void {
  const hash = answer.headers.get('Transaction-Hash');
  expect(hash).toMatch(HASH);
  expect(answer.headers.get('Link')).toBe(`<${mintmark.url}/explorer/tx/${hash}>; rel="related"`);
  expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: { success: true } });
}

/** A control that finds its target state: success, and nothing on the chain. */
async function expectNothingSent(again: () => Promise<TestAnswer>, kind: string): Promise<void> {
  const before = await sent();
  const answer = await again();
  expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: { success: true } });
  expect(answer.headers.get('Transaction-Hash')).toBeNull();
  expect(answer.headers.get('Link')).toBeNull();
  expect(await sent()).toBe(before);
  const intent = await waitForStatus(alice, answer.intentId!, 'confirmed');
  expect(intent).toMatchObject({ kind, status: 'confirmed', transaction: null, error: null });
}

describe.each(['ERC20', 'ERC721'] as const)('each control of an %s', (type) => {
  let address: string;
  beforeAll(async () => {
    address = await deployToken(alice, type);
  });

  test.each(PLAIN)(
    'POST %s sends one transaction, shows in reads at once, and sends nothing when repeated',
    async (path, kind, field, target) => {
      expect(await read(address)).toMatchObject({ [field]: !target });
      const used = await mintsUsed();
      const before = await sent();
      const answer = await control(address, path);
      expectSent(answer);
      expect(await sent()).toBe(before + 1);
      expect(await read(address)).toMatchObject({ [field]: target });
      const view = field === 'paused' ? 'paused' : 'transfersLocked';
      expect(await chain.erc20(address).getFunction(view)()).toBe(target);
      const intent = await waitForStatus(alice, answer.intentId!, 'confirmed');
      expect(intent).toMatchObject({ kind, transaction: { hash: answer.headers.get('Transaction-Hash') } });
      await expectNothingSent(() => control(address, path), kind);
      expect(await mintsUsed()).toBe(used);
    },
  );

  test.each(OF_ACCOUNTS)(
    'POST %s changes that account only, and sends nothing when repeated',
    async (path, kind, view, target) => {
      const used = await mintsUsed();
      const mark = chain.erc20(address).getFunction(view);
      expect(await mark(RECIPIENT)).toBe(!target);
      const answer = await control(address, path, { account: RECIPIENT });
      expectSent(answer);
      expect(await mark(RECIPIENT)).toBe(target);
      expect(await mark(HOLDER)).toBe(false);
      await waitForStatus(alice, answer.intentId!, 'confirmed');
      await expectNothingSent(() => control(address, path, { account: RECIPIENT.toLowerCase() }), kind);
      expect(await mintsUsed()).toBe(used);
    },
  );
});

describe('what each state stops', () => {
  let coin: string;
  let art: string;
  beforeAll(async () => {
    [coin, art] = await Promise.all([deployToken(alice), deployToken(alice, 'ERC721')]);
    await Promise.all([mint(coin, '10', HOLDER), mint(art, undefined, HOLDER)]);
    await callAs(HOLDER, coin, 'approve', [SPENDER, 5]);
  });
  const transfers = async () => ({
    coin: await allowed(chain.erc20(coin), 'transfer', [RECIPIENT, 1]),
    coinByOther: await allowed(chain.erc20(coin), 'transferFrom', [HOLDER, RECIPIENT, 1], SPENDER),
    art: await allowed(chain.erc721(art), 'transferFrom', [HOLDER, RECIPIENT, 1]),
  });
  const approvals = async () => ({
    coin: await allowed(chain.erc20(coin), 'approve', [SPENDER, 1]),
    art: await allowed(chain.erc721(art), 'approve', [SPENDER, 1]),
    all: await allowed(chain.erc721(art), 'setApprovalForAll', [SPENDER, true]),
  });
  const burns = async () => ({
    coin: await allowed(chain.erc20(coin), 'burn', [1]),
    art: await allowed(chain.erc721(art), 'burn', [1]),
  });
  const writeMetadata = async () => {
    const given = { name: 'n', description: 'd' };
    const answers = await Promise.all([
      ask(alice, 'PUT', `/tokens/${coin}/metadata`, given),
      ask(alice, 'PUT', `/tokens/${art}/metadata`, { ...given, tokenId: '1' }),
    ]);
    return answers.map((answer) => (answer.status === 200 ? '200' : failed(answer)));
  };
  const all = <Names extends string>(names: readonly Names[], what: string) =>
    Object.fromEntries(names.map((name) => [name, what]));
  const TRANSFERS = ['coin', 'coinByOther', 'art'] as const;
  const APPROVALS = ['coin', 'art', 'all'] as const;
  const BURNS = ['coin', 'art'] as const;

  test('a pause stops mint, burn, metadata and transfers until it ends', async () => {
    await Promise.all([control(coin, 'pause'), control(art, 'pause')]);
    const used = await mintsUsed();
    const paused = '502 CHAIN_ERROR The call reverted: TokenPaused()';
    expect(failed(await mint(coin, '1'))).toBe(paused);
    expect(failed(await mint(art))).toBe(paused);
    expect(await writeMetadata()).toEqual([paused, paused]);
    expect(await transfers()).toEqual(all(TRANSFERS, 'TokenPaused'));
    expect(await burns()).toEqual(all(BURNS, 'TokenPaused'));
    expect(await mintsUsed()).toBe(used);
    await Promise.all([control(coin, 'unpause'), control(art, 'unpause')]);
    expect((await mint(coin, '1')).status).toBe(200);
    expect((await mint(art)).status).toBe(200);
    expect(await writeMetadata()).toEqual(['200', '200']);
    expect(await transfers()).toEqual(all(TRANSFERS, 'allowed'));
    expect(await burns()).toEqual(all(BURNS, 'allowed'));
  });

  test('a transfer lock stops transfers and approvals, and neither mint, burn nor metadata', async () => {
    await Promise.all([control(coin, 'lock-transfers'), control(art, 'lock-transfers')]);
    expect(await transfers()).toEqual(all(TRANSFERS, 'TransfersLocked'));
    expect(await approvals()).toEqual(all(APPROVALS, 'TransfersLocked'));
    expect(await burns()).toEqual(all(BURNS, 'allowed'));
    expect((await mint(coin, '1')).status).toBe(200);
    expect((await mint(art)).status).toBe(200);
    expect(await writeMetadata()).toEqual(['200', '200']);
    await Promise.all([control(coin, 'unlock-transfers'), control(art, 'unlock-transfers')]);
    expect(await transfers()).toEqual(all(TRANSFERS, 'allowed'));
    expect(await approvals()).toEqual(all(APPROVALS, 'allowed'));
  });

  test('a frozen account can neither send nor receive, nor spend what was approved for it', async () => {
    await Promise.all([
      control(coin, 'freeze', { account: HOLDER }),
      control(art, 'freeze', { account: HOLDER }),
    ]);
    expect(await transfers()).toEqual(all(TRANSFERS, 'AccountFrozen'));
    expect(await burns()).toEqual(all(BURNS, 'AccountFrozen'));
    const frozen = `502 CHAIN_ERROR The call reverted: AccountFrozen(${HOLDER})`;
    expect(failed(await mint(coin, '1', HOLDER))).toBe(frozen);
    expect(failed(await mint(art, undefined, HOLDER))).toBe(frozen);
    expect((await mint(coin, '1')).status).toBe(200);
    await Promise.all([
      control(coin, 'unfreeze', { account: HOLDER }),
      control(art, 'unfreeze', { account: HOLDER }),
    ]);
    expect(await transfers()).toEqual(all(TRANSFERS, 'allowed'));

    await control(coin, 'freeze', { account: SPENDER });
    expect(await transfers()).toEqual({ ...all(TRANSFERS, 'allowed'), coinByOther: 'AccountFrozen' });
  });

  test('only approved accounts receive a permissioned mint', async () => {
    const { body } = await ask(alice, 'POST', '/tokens', {
      type: 'ERC721',
      name: 'Club',
      symbol: 'CLUB',
      isPermissionless: false,
    });
    const { address } = (body as { data: { address: string } }).data;
    const refused = `422 VALIDATION_ERROR The call reverted: AccountNotApproved(${RECIPIENT})`;
    expect(failed(await mint(address))).toBe(refused);
    await control(address, 'approve-account', { account: RECIPIENT });
    expect((await mint(address)).status).toBe(200);
    await control(address, 'unapprove-account', { account: RECIPIENT });
    expect(failed(await mint(address))).toBe(refused);
  });
});

describe('order', () => {
  const later = { Prefer: 'respond-async' };

  test('writes of one contract take effect in the order in which they were accepted', async () => {
    const coin = await deployToken(alice);
    const accepted: TestAnswer[] = [];
    await withoutBlocks(chain, async (mine) => {
      accepted.push(await control(coin, 'pause', undefined, later));
      accepted.push(
        await ask(alice, 'POST', `/tokens/${coin}/mint`, { owner: RECIPIENT, amount: '1' }, later),
      );
      accepted.push(await control(coin, 'unpause', undefined, later));
      accepted.push(
        await ask(alice, 'POST', `/tokens/${coin}/mint`, { owner: RECIPIENT, amount: '2' }, later),
      );
      expect(accepted.map(({ status }) => status)).toEqual([202, 202, 202, 202]);
      await mine();
    });
    const intents = await Promise.all(
      accepted.map(({ intentId }) => waitForStatus(alice, intentId!, 'confirmed', 'failed')),
    );
    expect(intents.map(({ kind, status }) => `${kind} ${status}`)).toEqual([
      'pause confirmed',
      'mint failed',
      'unpause confirmed',
      'mint confirmed',
    ]);
    expect(intents[1]!.error).toMatchObject({ code: 'CHAIN_ERROR' });
    expect(await chain.erc20(coin).getFunction('balanceOf')(RECIPIENT)).toBe(2n);
  });

  test('a control waits for an open write of the same contract even when the chain shows its target state', async () => {
    const coin = await deployToken(alice);
    let pause: TestAnswer;
    let unpause: TestAnswer;
    await withoutBlocks(chain, async () => {
      pause = await control(coin, 'pause', undefined, later);
      // The chain still shows an unpaused token, but the open pause comes first.
      unpause = await control(coin, 'unpause', undefined, later);
      expect([pause.status, unpause.status]).toEqual([202, 202]);
    });
    const [first, second] = await Promise.all([
      waitForStatus(alice, pause!.intentId!, 'confirmed'),
      waitForStatus(alice, unpause!.intentId!, 'confirmed'),
    ]);
    expect(first.transaction).not.toBeNull();
    expect(second.transaction).not.toBeNull();
    expect(await chain.erc20(coin).getFunction('paused')()).toBe(false);
  });
});

describe('errors and pending answers', () => {
  let coin: string;
  beforeAll(async () => {
    coin = await deployToken(alice);
  });

  const CONTROLS = [
    ...PLAIN.map(([path]) => [path, undefined] as const),
    ...OF_ACCOUNTS.map(([path]) => [path, { account: RECIPIENT }] as const),
  ];

  test.each(CONTROLS)('POST %s: 401, 403, 404 and 422 of the address', async (path, body) => {
    const at = (address: string) => `/tokens/${address}/${path}`;
    const codeOf = async (answer: Promise<TestAnswer>) =>
      failed(await answer)
        .split(' ')
        .slice(0, 2)
        .join(' ');
    expect(await codeOf(ask(null, 'POST', at(coin), body))).toBe('401 UNAUTHORIZED');
    expect(await codeOf(ask(bob, 'POST', at(coin), body))).toBe('403 FORBIDDEN');
    expect(await codeOf(ask(alice, 'POST', at(RECIPIENT), body))).toBe('404 NOT_FOUND');
    expect(await codeOf(ask(alice, 'POST', at('0x12'), body))).toBe('422 VALIDATION_ERROR');
  });

  test.each(CONTROLS)('POST %s with respond-async is 202 before it is mined', async (path, body) => {
    const own = await deployToken(alice);
    if (path.startsWith('un')) await control(own, path.slice(2), body);
    await withoutBlocks(chain, async () => {
      const answer = await control(own, path, body, { Prefer: 'respond-async' });
      expect(answer.status).toBe(202);
      expect(answer.headers.get('Preference-Applied')).toBe('respond-async');
      expect(answer.body).toMatchObject({ intent: { id: answer.intentId, kind: path.replace('-', '_') } });
    });
  });

  test.each(OF_ACCOUNTS.map(([path]) => path))(
    'POST %s: 422 for an account that is no address',
    async (path) => {
      const bad = [
        undefined,
        {},
        { account: '0x12' },
        { account: null },
        { account: `0x${'0'.repeat(40)}` },
        { account: RECIPIENT.replace('a2', 'A2') },
        { account: RECIPIENT, extra: 1 },
      ];
      for (const body of bad) {
        const answer = await control(coin, path, body);
        expect(failed(answer)).toContain('422 VALIDATION_ERROR');
      }
      // Validation comes before the record: an unknown token is not looked up.
      expect(failed(await control(RECIPIENT, path, { account: `0x${'0'.repeat(40)}` }))).toContain('account');
    },
  );

  test.each(CONTROLS)('POST %s takes effect once under one Idempotency-Key', async (path, body) => {
    const own = await deployToken(alice);
    if (path.startsWith('un')) await control(own, path.slice(2), body);
    const key = { 'Idempotency-Key': randomUUID() };
    const before = await sent();
    const [first, second] = await Promise.all([control(own, path, body, key), control(own, path, body, key)]);
    const third = await control(own, path, body, key);
    expectSent(first);
    expect(new Set([first, second, third].map(({ intentId }) => intentId)).size).toBe(1);
    expect(third.headers.get('Transaction-Hash')).toBe(first.headers.get('Transaction-Hash'));
    expect(await sent()).toBe(before + 1);
    const other = await ask(alice, 'POST', `/tokens/${coin}/${path}`, body, key);
    expect(failed(other)).toContain('422 VALIDATION_ERROR This Idempotency-Key');
  });

  test('502 with the reason once the ownership of the contract was transferred away', async () => {
    const carol = await mintmark.register();
    await carol.api.PATCH('/me', { body: { walletAddress: OWNER } });
    const own = await deployToken(carol);
    await callAs(OWNER, own, 'setOperator', [OWNER]);
    const functions: Record<string, string> = {
      unpause: 'pause',
      'unlock-transfers': 'lockTransfers',
      unfreeze: 'freeze',
      'unapprove-account': 'approveAccount',
    };
    for (const [path, body] of CONTROLS) {
      // A control that finds its target state needs no ownership, since it sends nothing.
      if (functions[path]) await callAs(OWNER, own, functions[path], body ? [RECIPIENT] : []);
      const refused = await ask(carol, 'POST', `/tokens/${own}/${path}`, body);
      expect(failed(refused)).toContain('502 CHAIN_ERROR The call reverted: NotOwnerOrOperator(');
      expect(refused.intentId).not.toBeNull();
    }
  });
});

describe('reads of a token', () => {
  const counts = () => {
    const { eth_call = 0, eth_blockNumber = 0 } = mintmark.service.context.rpc.counts();
    return { eth_call, eth_blockNumber };
  };
  const settle = () => new Promise((resolve) => setTimeout(resolve, 300));

  test('share one RPC call, and need no other while no block is new', async () => {
    const coin = await deployToken(alice);
    await settle();
    const before = counts();
    await Promise.all(Array.from({ length: 20 }, () => read(coin)));
    const shared = counts();
    expect(shared.eth_call).toBe(before.eth_call + 1);
    // One as a rule; a busy machine may need longer for the reads than the number of a block is kept.
    expect(shared.eth_blockNumber - before.eth_blockNumber).toBeLessThan(20);
    await settle();
    await read(coin);
    expect(counts().eth_call).toBe(shared.eth_call);
    // Likewise.
    expect(counts().eth_blockNumber - shared.eth_blockNumber).toBeLessThan(4);
  });

  test('show acknowledged changes at once, and changes by others within a block or two', async () => {
    const coin = await deployToken(alice);
    for (let round = 0; round < 5; round += 1) {
      expect(await read(coin)).toMatchObject({ paused: false });
      await control(coin, 'pause');
      expect(await read(coin)).toMatchObject({ paused: true });
      await control(coin, 'unpause');
    }
    const carol = await mintmark.register();
    await carol.api.PATCH('/me', { body: { walletAddress: OWNER } });
    const own = await deployToken(carol);
    const shown = async () => (await ask(carol, 'GET', `/tokens/${own}`)).body;
    expect(await shown()).toMatchObject({ owner: OWNER });
    await callAs(OWNER, own, 'transferOwnership', [HOLDER]);
    await callAs(HOLDER, own, 'acceptOwnership', [OWNER]);
    await settle();
    expect(await shown()).toMatchObject({ owner: HOLDER });
  });
});

test('a verdict takes into account what the owner did in a block that the service had not read', async () => {
  const carol = await mintmark.register();
  await carol.api.PATCH('/me', { body: { walletAddress: OWNER } });
  const club = await deployToken(carol, 'ERC20', false);
  await callAs(OWNER, club, 'pause', []);
  const { body } = await requestMint(carol, club);
  // At the block before it, the revert reason would be the recipient.
  expect(body).toEqual({ code: 'CHAIN_ERROR', message: 'The call reverted: TokenPaused()' });
});
