import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { getAddress } from 'ethers';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { setPlan } from '../../lab/stage/accounts.ts';
import { openChain } from '../setup/chain.ts';
import { createCollection, createKey } from '../../lab/stage/collections.ts';
import { waitForStatus } from '../../lab/stage/intents.ts';
import { withoutBlocks } from '../setup/mining.ts';
import { createAsk } from '../../lab/stage/request.ts';
import type { Ask } from '../../lab/stage/request.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';
import { RECIPIENT, deployToken } from '../../lab/stage/tokens.ts';
import type { TestAnswer } from '../../lab/stage/tokens.ts';

const OWNER: string = embeddedAccounts[3].address;
const HOLDER: string = embeddedAccounts[4].address;
const MAX = 2n ** 208n - 1n;
const MAX_LIMIT = 2n ** 198n - 1n;
const ROYALTY = { receiver: RECIPIENT, basisPoints: 500 };
const BOUNDS = { maxSupply: '10', mintLimitPerDay: '5', recoverable: true } as const;
const UNBOUNDED = {
  totalSupply: '0',
  maxSupply: null,
  mintLimitPerDay: null,
  mintableNow: null,
  fullAt: null,
  mintedToday: '0',
  ...{ mintClosed: false, metadataFrozen: false, controlsRenounced: false },
  ...{ mintClosesForGoodAt: null, metadataFrozenForGoodAt: null, controlsRenouncedForGoodAt: null },
  recoverable: false,
  royalty: null,
};

/** The limits of a token of which nothing was minted by the service. */
const limited = (mintLimitPerDay: string) => ({
  ...{ mintLimitPerDay, mintableNow: mintLimitPerDay },
  fullAt: expect.any(String),
});

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
  await setPlan(mintmark, alice, 'PRO');
});

afterAll(async () => {
  chain?.close();
  await mintmark?.stop();
});

/** Transactions of the signer: a busy machine may send one twice. */
const sent = async (): Promise<number> =>
  Number(await chain.provider.send('eth_getTransactionCount', [embeddedAccounts[0].address, 'pending']));
const mintsUsed = async () => (await alice.api.GET('/stats')).data!.mintsUsed;
const limitsOf = async (address: string, account = alice) =>
  (await ask(account, 'GET', `/tokens/${address}/limits`)).body;
const marksOf = async (address: string, account: string) =>
  (await ask(alice, 'GET', `/tokens/${address}/accounts/${account}`)).body;
const mint = (address: string, amount?: string, owner = RECIPIENT): Promise<TestAnswer> =>
  ask(alice, 'POST', `/tokens/${address}/mint`, { owner, ...(amount ? { amount } : {}) });
const deploy = (body: object) => ask(alice, 'POST', '/tokens', { name: 'Coin', symbol: 'C', ...body });
function summary({ status, body }: TestAnswer): string {
  const { code, message } = body as { code?: string; message?: string };
  return code === undefined ? String(status) : `${status} ${code} ${message}`;
}

interface Verb {
  name: string;
  method: 'POST' | 'PUT';
  path: string;
  kind: string;
  /** Of an ERC-721, whose token 1 the recipient holds. */
  body?: object;
}
const VERBS: readonly Verb[] = [
  { name: 'close-mint', method: 'POST', path: 'close-mint', kind: 'close_mint' },
  { name: 'mint-limit', method: 'PUT', path: 'mint-limit', kind: 'set_mint_limit', body: { perDay: '3' } },
  {
    name: 'force-transfer',
    method: 'POST',
    path: 'force-transfer',
    kind: 'force_transfer',
    body: { from: RECIPIENT, to: HOLDER, tokenId: '1' },
  },
  {
    name: 'royalty',
    method: 'PUT',
    path: 'royalty',
    kind: 'set_royalty',
    body: { ...ROYALTY, basisPoints: 7 },
  },
  {
    name: 'metadata/freeze of one token',
    method: 'POST',
    path: 'metadata/freeze',
    kind: 'freeze_metadata',
    body: { tokenId: '1' },
  },
  { name: 'metadata/freeze', method: 'POST', path: 'metadata/freeze', kind: 'freeze_metadata' },
  { name: 'renounce-controls', method: 'POST', path: 'renounce-controls', kind: 'renounce_controls' },
];
const EACH_VERB = VERBS.map((verb) => [`${verb.method} ${verb.name}`, verb] as const);

const apply = (
  { method, path, body }: Verb,
  address: string,
  { account = alice, ...headers }: { account?: TestAccount | null } & Record<string, unknown> = {},
): Promise<TestAnswer> =>
  ask(account, method, `/tokens/${address}/${path}`, body, headers as Record<string, string>);
const verbOf = (name: string, body?: object): Verb => ({
  ...VERBS.find((verb) => verb.name === name)!,
  ...(body ? { body } : {}),
});

/** An ERC-721 with all options, whose token 1 the recipient holds. */
async function deployBounded(): Promise<string> {
  const address = await deployToken(alice, 'ERC721', true, { ...BOUNDS, royalty: ROYALTY });
  expect((await mint(address)).status).toBe(200);
  return address;
}

async function callAs(from: string, address: string, name: string, given: unknown[]): Promise<void> {
  const signer = await chain.provider.getSigner(from);
  const data = chain.erc721(address).interface.encodeFunctionData(name, given);
  await (await signer.sendTransaction({ to: address, data })).wait();
}

/** An account whose wallet owns its tokens on the chain. */
async function registerWithWallet(): Promise<TestAccount> {
  const carol = await mintmark.register();
  await carol.api.PATCH('/me', { body: { walletAddress: OWNER } });
  return carol;
}

describe('a token', () => {
  test.each(['ERC20', 'ERC721'] as const)('without options has no bounds: %s', async (type) => {
    const address = await deployToken(alice, type);
    expect(await limitsOf(address)).toEqual(UNBOUNDED);
    await mint(address, type === 'ERC20' ? '7' : undefined);
    expect(await limitsOf(address)).toEqual({ ...UNBOUNDED, totalSupply: type === 'ERC20' ? '7' : '1' });
  });

  test('with all options has them on the chain', async () => {
    const art = await deployToken(alice, 'ERC721', true, { ...BOUNDS, royalty: ROYALTY });
    const shown = { ...UNBOUNDED, ...BOUNDS, ...limited(BOUNDS.mintLimitPerDay) };
    expect(await limitsOf(art)).toEqual({ ...shown, royalty: ROYALTY });
    expect(await chain.erc721(art).getFunction('royaltyInfo')(1n, 10_000n)).toEqual([RECIPIENT, 500n]);
    await mint(art);
    expect(await limitsOf(art)).toMatchObject({ totalSupply: '1', mintedToday: '1', mintableNow: '4' });
    const coin = await deployToken(alice, 'ERC20', true, BOUNDS);
    expect(await limitsOf(coin)).toEqual(shown);
    expect(await chain.erc20(coin).getFunction('recoverable')()).toBe(true);
    // The fields of interface.md, and no other.
    const { body } = await ask(alice, 'GET', `/tokens/${coin}`);
    expect(Object.keys(body as object).sort()).toEqual(
      'address,type,name,symbol,paused,transferLocked,permissionless,owner,creator'.split(',').sort(),
    );
  });

  test('takes the largest bounds that its contract keeps', async () => {
    const largest = { maxSupply: String(MAX), mintLimitPerDay: String(MAX_LIMIT) };
    const address = await deployToken(alice, 'ERC20', true, largest);
    expect(await limitsOf(address)).toEqual({
      ...UNBOUNDED,
      ...largest,
      ...limited(largest.mintLimitPerDay),
    });
  });

  test.each([
    ['maxSupply', { type: 'ERC20', maxSupply: String(MAX + 1n) }],
    ['maxSupply', { type: 'ERC20', maxSupply: '0' }],
    ['maxSupply', { type: 'ERC721', maxSupply: 5 }],
    ['mintLimitPerDay', { type: 'ERC721', mintLimitPerDay: String(MAX_LIMIT + 1n) }],
    ['mintLimitPerDay', { type: 'ERC20', mintLimitPerDay: '0' }],
    ['recoverable', { type: 'ERC20', recoverable: 'yes' }],
    ['royalty', { type: 'ERC20', royalty: ROYALTY }],
    ['basisPoints', { type: 'ERC721', royalty: { ...ROYALTY, basisPoints: 1_001 } }],
    ['basisPoints', { type: 'ERC721', royalty: { ...ROYALTY, basisPoints: -1 } }],
    ['basisPoints', { type: 'ERC721', royalty: { ...ROYALTY, basisPoints: 0.5 } }],
    ['basisPoints', { type: 'ERC721', royalty: { receiver: RECIPIENT } }],
    ['royalty.receiver', { type: 'ERC721', royalty: { ...ROYALTY, receiver: `0x${'0'.repeat(40)}` } }],
    [
      'royalty.receiver',
      { type: 'ERC721', royalty: { ...ROYALTY, receiver: RECIPIENT.replace('a2', 'A2') } },
    ],
  ])('is refused with a wrong %s: %j', async (field, body) => {
    const used = await mintsUsed();
    const answer = summary(await deploy(body));
    expect(answer).toContain('422 VALIDATION_ERROR');
    expect(answer).toContain(field);
    expect(await mintsUsed()).toBe(used);
  });

  test('of the collection API takes them too, live and in the sandbox', async () => {
    const [live, sandbox] = [await createKey(mintmark, alice), await createKey(mintmark, alice, 'sandbox')];
    const body = { name: 'Lights', symbol: 'L', ...BOUNDS, royalty: ROYALTY };
    const made = await ask({ token: live.key }, 'POST', '/v1/collections', body);
    expect(made.status).toBe(201);
    const { address } = made.body as { address: string };
    expect(await limitsOf(address)).toEqual({
      ...{ ...UNBOUNDED, ...BOUNDS, ...limited(BOUNDS.mintLimitPerDay) },
      royalty: ROYALTY,
    });
    expect((await ask({ token: sandbox.key }, 'POST', '/v1/collections', body)).status).toBe(201);
    for (const { key } of [live, sandbox]) {
      const wrong = { ...body, royalty: { ...ROYALTY, basisPoints: 1_001 } };
      expect(summary(await ask({ token: key }, 'POST', '/v1/collections', wrong))).toContain('basisPoints');
    }
    expect(await limitsOf(await createCollection(live.api))).toEqual(UNBOUNDED);
  });
});

describe('past a bound a mint is 502 with the reason, and the quota comes back', () => {
  test('past the cap', async () => {
    const coin = await deployToken(alice, 'ERC20', true, { maxSupply: '10' });
    expect((await mint(coin, '10')).status).toBe(200);
    const used = await mintsUsed();
    expect(summary(await mint(coin, '1'))).toBe(
      '502 CHAIN_ERROR The call reverted: SupplyCapExceeded(11, 10)',
    );
    expect(await mintsUsed()).toBe(used);
    expect(await limitsOf(coin)).toMatchObject({ totalSupply: '10', maxSupply: '10' });
  });

  test('past the limit of the day, of the collection API too', async () => {
    const { key } = await createKey(mintmark, alice);
    const body = { name: 'Lights', symbol: 'L', mintLimitPerDay: '2' };
    const made = await ask({ token: key }, 'POST', '/v1/collections', body);
    const { address } = made.body as { address: string };
    const items = Array.from({ length: 3 }, () => ({ to: RECIPIENT }));
    const batch = (count: number) =>
      ask({ token: key }, 'POST', `/v1/collections/${address}/mint/batch`, { items: items.slice(0, count) });
    const refused = '502 CHAIN_ERROR The call reverted: MintLimitExceeded';
    expect(summary(await batch(3))).toBe(`${refused}(3, 2)`);
    expect((await batch(2)).status).toBe(201);
    expect(summary(await mint(address))).toBe(`${refused}(1, 0)`);
    expect(await limitsOf(address)).toMatchObject({ mintedToday: '2', mintLimitPerDay: '2' });
  });

  test('once minting is closed', async () => {
    const coin = await deployToken(alice);
    expect((await apply(verbOf('close-mint'), coin)).status).toBe(200);
    expect(await limitsOf(coin)).toEqual({
      ...{ ...UNBOUNDED, mintClosed: true },
      mintClosesForGoodAt: expect.any(String),
    });
    const used = await mintsUsed();
    expect(summary(await mint(coin, '1'))).toBe('502 CHAIN_ERROR The call reverted: MintClosed()');
    expect(await mintsUsed()).toBe(used);
  });
});

describe.each(EACH_VERB)('%s', (_name, verb) => {
  test('sends one transaction, and takes effect once under one Idempotency-Key', async () => {
    const address = await deployBounded();
    const used = await mintsUsed();
    const before = await sent();
    const key = { 'Idempotency-Key': randomUUID() };
    const [first, second] = await Promise.all([apply(verb, address, key), apply(verb, address, key)]);
    const third = await apply(verb, address, key);
    expect({ status: first.status, body: first.body }).toEqual({ status: 200, body: { success: true } });
    const hash = first.headers.get('Transaction-Hash');
    expect(first.headers.get('Link')).toBe(`<${mintmark.url}/explorer/tx/${hash}>; rel="related"`);
    expect(new Set([first, second, third].map(({ intentId }) => intentId)).size).toBe(1);
    expect(third.headers.get('Transaction-Hash')).toBe(hash);
    expect(await sent()).toBe(before + 1);
    expect(await mintsUsed()).toBe(used);
    const intent = await waitForStatus(alice, first.intentId!, 'confirmed');
    expect(intent).toMatchObject({ kind: verb.kind, transaction: { hash }, error: null });
    const other = await ask(alice, 'POST', `/tokens/${address}/pause`, undefined, key);
    expect(summary(other)).toContain('422 VALIDATION_ERROR This Idempotency-Key');
  });

  test('sends nothing when the token is so already', async () => {
    if (verb.kind === 'force_transfer') return;
    const address = await deployBounded();
    await apply(verb, address);
    const before = await sent();
    const again = await apply(verb, address);
    expect({ status: again.status, body: again.body }).toEqual({ status: 200, body: { success: true } });
    expect(again.headers.get('Transaction-Hash')).toBeNull();
    expect(await sent()).toBe(before);
    const intent = await waitForStatus(alice, again.intentId!, 'confirmed');
    expect(intent).toMatchObject({ kind: verb.kind, transaction: null });
  });

  test('is 202 with respond-async before it is mined', async () => {
    const address = await deployBounded();
    await withoutBlocks(chain, async () => {
      const answer = await apply(verb, address, { Prefer: 'respond-async' });
      expect(answer.status).toBe(202);
      expect(answer.body).toMatchObject({ intent: { id: answer.intentId, kind: verb.kind } });
    });
  });

  test('is 401, 403, 404 and 422 as the rules say', async () => {
    const address = await deployBounded();
    expect(summary(await apply(verb, address, { account: null }))).toContain('401 UNAUTHORIZED');
    expect(summary(await apply(verb, address, { account: bob }))).toContain('403 FORBIDDEN');
    expect(summary(await apply(verb, RECIPIENT))).toContain('404 NOT_FOUND');
    expect(summary(await apply(verb, '0x12'))).toContain('422 VALIDATION_ERROR');
    const extra = { ...verb, body: { ...verb.body, extra: 1 } };
    if (verb.body) expect(summary(await apply(extra, address))).toContain('422 VALIDATION_ERROR');
  });

  test('is 502 with the reason once the contract has another operator', async () => {
    const carol = await registerWithWallet();
    const address = await deployToken(carol, 'ERC721', true, { recoverable: true });
    await callAs(OWNER, address, 'setOperator', [OWNER]);
    await callAs(OWNER, address, 'mint', [RECIPIENT]);
    const refused = await apply(verb, address, { account: carol });
    expect(summary(refused)).toContain('502 CHAIN_ERROR The call reverted: NotOwnerOrOperator(');
    expect(refused.intentId).not.toBeNull();
  });
});

describe('PUT /tokens/{address}/mint-limit', () => {
  const setLimit = (
    address: string,
    perDay: unknown,
    headers: Record<string, string> = {},
    account = alice,
  ) => ask(account, 'PUT', `/tokens/${address}/mint-limit`, { perDay }, headers);
  const later = { Prefer: 'respond-async' };

  test('lowers the limit at once, down to no mint at all', async () => {
    const coin = await deployToken(alice);
    for (const perDay of ['100', '7', '0']) {
      expect((await setLimit(coin, perDay)).status).toBe(200);
      expect(await limitsOf(coin)).toEqual({ ...UNBOUNDED, ...limited(perDay) });
    }
    expect(summary(await mint(coin, '1'))).toBe('502 CHAIN_ERROR The call reverted: MintLimitExceeded(1, 0)');
  });

  test('is 403 for a higher limit, and nothing is sent', async () => {
    const coin = await deployToken(alice, 'ERC20', true, { mintLimitPerDay: '5' });
    const before = await sent();
    const refused = await setLimit(coin, '6');
    expect(summary(refused)).toContain('403 FORBIDDEN The limit is 5 a day');
    expect(refused.intentId).toBeNull();
    expect((await setLimit(coin, '6', later)).status).toBe(403);
    expect(await sent()).toBe(before);
    expect(await limitsOf(coin)).toMatchObject({ mintLimitPerDay: '5' });
  });

  test('is 403 also where the contract decides, since the limit to come was not known', async () => {
    const coin = await deployToken(alice, 'ERC20', true, { mintLimitPerDay: '9' });
    let [lowered, raised]: TestAnswer[] = [];
    await withoutBlocks(chain, async () => {
      lowered = await setLimit(coin, '5', later);
      raised = await setLimit(coin, '6', later);
      expect([lowered.status, raised.status]).toEqual([202, 202]);
    });
    await waitForStatus(alice, lowered!.intentId!, 'confirmed');
    const failed = await waitForStatus(alice, raised!.intentId!, 'failed');
    expect(failed.error).toEqual({
      code: 'FORBIDDEN',
      message: 'The call reverted: InvalidMintLimit(6, 5)',
    });
    expect(await limitsOf(coin)).toMatchObject({ mintLimitPerDay: '5' });
  });

  test('answers a repeated request as before, though the limit is lower by now', async () => {
    const coin = await deployToken(alice, 'ERC20', true, { mintLimitPerDay: '9' });
    const key = { 'Idempotency-Key': randomUUID() };
    const first = await setLimit(coin, '7', key);
    await setLimit(coin, '5');
    const again = await setLimit(coin, '7', key);
    expect([again.status, again.intentId]).toEqual([200, first.intentId]);
    expect(await limitsOf(coin)).toMatchObject({ mintLimitPerDay: '5' });
  });

  test('shows a limit that the owner raised on the chain', async () => {
    const carol = await registerWithWallet();
    const coin = await deployToken(carol, 'ERC20', true, { mintLimitPerDay: '5' });
    expect((await setLimit(coin, '8', {}, carol)).status).toBe(403);
    await callAs(OWNER, coin, 'raiseMintLimit', [8n]);
    expect((await setLimit(coin, '8', {}, carol)).status).toBe(200);
    expect(await limitsOf(coin, carol)).toMatchObject({ mintLimitPerDay: '8' });
  });

  test.each([undefined, null, 5, '', '-1', '1.5', '01', '1e3', String(MAX + 1n)])(
    'is 422 for %j',
    async (perDay) => {
      const coin = await deployToken(alice);
      const answer = summary(await setLimit(coin, perDay));
      expect(answer).toContain('422 VALIDATION_ERROR');
      expect(answer).toContain('perDay');
    },
  );
});

describe('POST /tokens/{address}/force-transfer', () => {
  const force = (address: string, body: object) =>
    ask(alice, 'POST', `/tokens/${address}/force-transfer`, body);
  const balance = async (address: string, account: string) =>
    ((await marksOf(address, account)) as { balance: string }).balance;

  test('moves and burns an amount of an ERC-20, of a frozen account and in spite of a lock too', async () => {
    const coin = await deployToken(alice, 'ERC20', true, { recoverable: true });
    await mint(coin, '10');
    await ask(alice, 'POST', `/tokens/${coin}/freeze`, { account: RECIPIENT });
    await ask(alice, 'POST', `/tokens/${coin}/lock-transfers`);
    expect((await force(coin, { from: RECIPIENT, to: HOLDER, amount: '4' })).status).toBe(200);
    expect([await balance(coin, RECIPIENT), await balance(coin, HOLDER)]).toEqual(['6', '4']);
    expect((await force(coin, { from: RECIPIENT, to: null, amount: '5' })).status).toBe(200);
    expect(await balance(coin, RECIPIENT)).toBe('1');
    expect(await limitsOf(coin)).toMatchObject({ totalSupply: '5' });
  });

  test('moves and burns an NFT', async () => {
    const art = await deployToken(alice, 'ERC721', true, { recoverable: true });
    await mint(art);
    await mint(art);
    expect((await force(art, { from: RECIPIENT.toLowerCase(), to: HOLDER, tokenId: '2' })).status).toBe(200);
    expect(await chain.erc721(art).getFunction('ownerOf')(2n)).toBe(HOLDER);
    expect((await force(art, { from: HOLDER, to: null, tokenId: '2' })).status).toBe(200);
    expect(await balance(art, HOLDER)).toBe('0');
    expect(await limitsOf(art)).toMatchObject({ totalSupply: '1' });
  });

  test('does the same again when it is asked for again', async () => {
    const coin = await deployToken(alice, 'ERC20', true, { recoverable: true });
    await mint(coin, '10');
    const body = { from: RECIPIENT, to: HOLDER, amount: '4' };
    expect([(await force(coin, body)).status, (await force(coin, body)).status]).toEqual([200, 200]);
    expect(await balance(coin, HOLDER)).toBe('8');
  });

  test('is 422 for a token that is not recoverable', async () => {
    const coin = await deployToken(alice);
    await mint(coin, '1');
    expect(summary(await force(coin, { from: RECIPIENT, to: HOLDER, amount: '1' }))).toContain(
      '422 VALIDATION_ERROR This token was not deployed as recoverable',
    );
    expect(await balance(coin, RECIPIENT)).toBe('1');
  });

  test('is 502 with the reason when the chain refuses it, and 422 for an NFT that does not exist', async () => {
    const coin = await deployToken(alice, 'ERC20', true, { recoverable: true });
    await mint(coin, '1');
    expect(summary(await force(coin, { from: RECIPIENT, to: HOLDER, amount: '2' }))).toBe(
      `502 CHAIN_ERROR The call reverted: ERC20InsufficientBalance(${RECIPIENT}, 1, 2)`,
    );
    await ask(alice, 'POST', `/tokens/${coin}/freeze`, { account: HOLDER });
    expect(summary(await force(coin, { from: RECIPIENT, to: HOLDER, amount: '1' }))).toBe(
      `502 CHAIN_ERROR The call reverted: ERC7943CannotReceive(${HOLDER})`,
    );
    const art = await deployToken(alice, 'ERC721', true, { recoverable: true });
    for (const tokenId of ['7', '9'.repeat(78)]) {
      const answer = summary(await force(art, { from: RECIPIENT, to: HOLDER, tokenId }));
      expect(answer).toContain('422 VALIDATION_ERROR');
    }
  });

  test('is 422 for what does not fit the type, and for wrong accounts', async () => {
    const coin = await deployToken(alice, 'ERC20', true, { recoverable: true });
    const art = await deployToken(alice, 'ERC721', true, { recoverable: true });
    const move = { from: RECIPIENT, to: HOLDER };
    const wrong: [string, object, string][] = [
      [coin, { ...move, tokenId: '1' }, 'tokenId does not go with'],
      [coin, { ...move, amount: '1', tokenId: '1' }, 'tokenId does not go with'],
      [coin, move, 'amount is required'],
      [coin, { ...move, amount: '0' }, 'amount'],
      [coin, { ...move, amount: String(MAX + 1n) }, 'amount'],
      [art, { ...move, amount: '1' }, 'amount does not go with'],
      [art, move, 'tokenId is required'],
      [coin, { from: RECIPIENT, amount: '1' }, 'to'],
      [coin, { to: HOLDER, amount: '1' }, 'from'],
      [coin, { ...move, from: null, amount: '1' }, 'from'],
      [coin, { ...move, from: `0x${'0'.repeat(40)}`, amount: '1' }, 'from'],
      [coin, { ...move, to: `0x${'0'.repeat(40)}`, amount: '1' }, 'to'],
    ];
    for (const [address, body, field] of wrong) {
      const answer = summary(await force(address, body));
      expect(answer).toContain('422 VALIDATION_ERROR');
      expect(answer).toContain(field);
    }
  });
});

describe('PUT /tokens/{address}/royalty', () => {
  const setRoyalty = (address: string, body: object) => ask(alice, 'PUT', `/tokens/${address}/royalty`, body);

  test('sets and changes what ERC-2981 answers', async () => {
    const art = await deployToken(alice, 'ERC721');
    for (const royalty of [
      ROYALTY,
      { receiver: HOLDER, basisPoints: 500 },
      { receiver: HOLDER, basisPoints: 1_000 },
      { receiver: HOLDER, basisPoints: 0 },
    ]) {
      expect((await setRoyalty(art, royalty)).status).toBe(200);
      expect(await limitsOf(art)).toEqual({ ...UNBOUNDED, royalty });
      const paid = [royalty.receiver, BigInt(royalty.basisPoints)];
      expect(await chain.erc721(art).getFunction('royaltyInfo')(1n, 10_000n)).toEqual(paid);
    }
    const before = await sent();
    expect((await setRoyalty(art, { receiver: HOLDER.toLowerCase(), basisPoints: 0 })).status).toBe(200);
    expect(await sent()).toBe(before);
  });

  test('is 422 for an ERC-20, and for a wrong royalty', async () => {
    const coin = await deployToken(alice);
    expect(summary(await setRoyalty(coin, ROYALTY))).toContain(
      '422 VALIDATION_ERROR A royalty does not go with',
    );
    const art = await deployToken(alice, 'ERC721');
    for (const body of [{}, { ...ROYALTY, basisPoints: 1_001 }, { ...ROYALTY, receiver: null }]) {
      expect(summary(await setRoyalty(art, body))).toContain('422 VALIDATION_ERROR');
    }
  });
});

describe('POST /tokens/{address}/metadata/freeze', () => {
  const freeze = (address: string, body?: object) =>
    ask(alice, 'POST', `/tokens/${address}/metadata/freeze`, body);
  const write = async (address: string, tokenId?: string) =>
    summary(
      await ask(alice, 'PUT', `/tokens/${address}/metadata`, {
        name: 'n',
        description: 'd',
        ...(tokenId ? { tokenId } : {}),
      }),
    );
  const frozen = '502 CHAIN_ERROR The call reverted: MetadataFrozen()';

  test('freezes one token, then all of the contract', async () => {
    const art = await deployToken(alice, 'ERC721');
    await mint(art);
    await mint(art);
    expect((await freeze(art, { tokenId: '1' })).status).toBe(200);
    expect([await write(art, '1'), await write(art, '2')]).toEqual([frozen, '200']);
    expect((await freeze(art)).status).toBe(200);
    expect(await write(art, '2')).toBe(frozen);
    const before = await sent();
    expect((await freeze(art, { tokenId: '2' })).status).toBe(200);
    expect(await sent()).toBe(before);
  });

  test('takes a body without fields for none, and another one not', async () => {
    const coin = await deployToken(alice);
    const key = { 'Idempotency-Key': randomUUID() };
    const path = `/tokens/${coin}/metadata/freeze`;
    const first = await ask(alice, 'POST', path, {}, key);
    const again = await ask(alice, 'POST', path, undefined, key);
    expect([first.status, again.status, again.intentId]).toEqual([200, 200, first.intentId]);
    const text = await fetch(mintmark.url + path, {
      method: 'POST',
      headers: { Authorization: `Bearer ${alice.token}`, 'Content-Type': 'text/plain' },
      body: '{}',
    });
    expect(text.status).toBe(422);
  });

  test('freezes the metadata of an ERC-20, which takes no token id', async () => {
    const coin = await deployToken(alice);
    expect(summary(await freeze(coin, { tokenId: '1' }))).toContain('422 VALIDATION_ERROR tokenId');
    expect(await write(coin)).toBe('200');
    expect((await freeze(coin, {})).status).toBe(200);
    expect(await write(coin)).toBe(frozen);
  });

  test('is 422 for a token that was never minted', async () => {
    const art = await deployToken(alice, 'ERC721');
    for (const tokenId of ['1', '9'.repeat(78)]) {
      expect(summary(await freeze(art, { tokenId }))).toContain('422 VALIDATION_ERROR');
    }
  });
});

describe('GET /tokens/{address}/accounts/{account}', () => {
  test.each(['ERC20', 'ERC721'] as const)('shows the marks and the balance at an %s', async (type) => {
    const address = await deployToken(alice, type, false);
    const none = { account: RECIPIENT, frozen: false, approved: false, balance: '0' };
    expect(await marksOf(address, RECIPIENT.toLowerCase())).toEqual(none);
    await ask(alice, 'POST', `/tokens/${address}/approve-account`, { account: RECIPIENT });
    expect(await marksOf(address, RECIPIENT)).toEqual({ ...none, approved: true });
    await mint(address, type === 'ERC20' ? '12' : undefined);
    await ask(alice, 'POST', `/tokens/${address}/freeze`, { account: RECIPIENT });
    const balance = type === 'ERC20' ? '12' : '1';
    expect(await marksOf(address, RECIPIENT)).toEqual({
      account: RECIPIENT,
      frozen: true,
      approved: true,
      balance,
    });
    expect(await marksOf(address, HOLDER)).toEqual({ ...none, account: getAddress(HOLDER) });
  });

  test('both reads are 401, 403, 404 and 422 as the rules say', async () => {
    const address = await deployToken(alice);
    const { key } = await createKey(mintmark, alice, 'sandbox');
    for (const path of ['limits', `accounts/${RECIPIENT}`]) {
      const at = (token: string, account: { token: string } | null = alice) =>
        ask(account, 'GET', `/tokens/${token}/${path}`).then(summary);
      expect(await at(address, null)).toContain('401 UNAUTHORIZED');
      expect(await at(address, bob)).toContain('403 FORBIDDEN');
      expect(await at(address, { token: key })).toContain('403 FORBIDDEN');
      expect(await at(RECIPIENT)).toContain('404 NOT_FOUND');
      expect(await at('0x12')).toContain('422 VALIDATION_ERROR');
    }
    for (const account of ['0x12', `0x${'0'.repeat(40)}`, RECIPIENT.replace('a2', 'A2')]) {
      expect(summary(await ask(alice, 'GET', `/tokens/${address}/accounts/${account}`))).toContain(
        '422 VALIDATION_ERROR',
      );
    }
  });
});
