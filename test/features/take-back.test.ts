import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startAnvil } from '../../lab/stage/anvil.ts';
import type { Anvil } from '../../lab/stage/anvil.ts';
import { createAsk } from '../../lab/stage/request.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';
import { RECIPIENT, deployToken } from '../../lab/stage/tokens.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';

/* On a public chain, where what is given up for ever can be taken back for a day. */

const SEPOLIA = 11_155_111;
const DAY_SECONDS = 86_400;

let anvil: Anvil;
let mintmark: TestService;
let alice: TestAccount;

beforeAll(async () => {
  anvil = await startAnvil({ chainId: SEPOLIA });
  const variables = { OPERATOR_ADMIN: embeddedAccounts[0].address, CHAIN_PROFILE: 'anvil' };
  mintmark = await startTestService(variables, { rpcUrl: anvil.url });
  alice = await mintmark.register();
});
afterAll(async () => {
  await mintmark?.stop();
  await anvil?.stop();
});

/** Asks, and says the status, with the reason of a failure. */
async function ask(
  method: 'POST' | 'PUT' | 'DELETE',
  address: string,
  path: string,
  body?: object,
): Promise<string> {
  const answer = await createAsk(mintmark.url)(alice, method, `/tokens/${address}/${path}`, body);
  const { message = '' } = (answer.body ?? {}) as { message?: string };
  return `${answer.status} ${message}`.trim();
}
const limitsOf = async (address: string) =>
  (await createAsk(mintmark.url)(alice, 'GET', `/tokens/${address}/limits`)).body as Record<string, string>;
const mint = (address: string) => ask('POST', address, 'mint', { owner: RECIPIENT });
const describe = (address: string) =>
  ask('PUT', address, 'metadata', { name: 'Night', description: 'Dark.', tokenId: '1' });

/** A collection with one NFT. */
async function deploy(): Promise<string> {
  const address = await deployToken(alice, 'ERC721');
  expect(await mint(address)).toBe('200');
  return address;
}

/** Seconds from now until a time of the chain's blocks. */
const secondsUntil = (time: string | undefined): number => (Date.parse(time!) - Date.now()) / 1_000;

const GIVEN_UP = [
  {
    ...{ what: 'a closed mint', path: 'close-mint', flag: 'mintClosed', at: 'mintClosesForGoodAt' },
    ...{ tries: mint, refusal: '502 The call reverted: MintClosed()' },
  },
  {
    ...{
      what: 'frozen metadata',
      path: 'metadata/freeze',
      flag: 'metadataFrozen',
      at: 'metadataFrozenForGoodAt',
    },
    ...{ tries: describe, refusal: '502 The call reverted: MetadataFrozen()' },
  },
  {
    ...{ what: 'renounced controls', path: 'renounce-controls' },
    ...{ flag: 'controlsRenounced', at: 'controlsRenouncedForGoodAt' },
    tries: (address: string) => ask('POST', address, 'lock-transfers'),
    refusal: '502 The call reverted: ControlsRenounced()',
  },
];

test.each(GIVEN_UP)('$what can be taken back', async ({ path, flag, at, tries, refusal }) => {
  const address = await deploy();
  expect(await ask('POST', address, path)).toBe('200');
  const given = await limitsOf(address);
  expect(given).toMatchObject({ [flag]: true, [at]: expect.any(String) });
  expect(secondsUntil(given[at])).toBeGreaterThan(DAY_SECONDS - 600);
  expect(secondsUntil(given[at])).toBeLessThan(DAY_SECONDS + 600);
  expect(await tries(address)).toBe(refusal);
  expect(await ask('DELETE', address, path)).toBe('200');
  expect(await limitsOf(address)).toMatchObject({ [flag]: false, [at]: null });
  expect(await tries(address)).toBe('200');
});

test('the frozen metadata of one NFT can be taken back', async () => {
  const address = await deploy();
  expect(await ask('POST', address, 'metadata/freeze', { tokenId: '1' })).toBe('200');
  expect(await describe(address)).toBe('502 The call reverted: MetadataFrozen()');
  expect(await ask('DELETE', address, 'metadata/freeze?tokenId=1')).toBe('200');
  expect(await describe(address)).toBe('200');
});

test('after a day nothing of it can be taken back', async () => {
  const tokens = await Promise.all(GIVEN_UP.map(() => deploy()));
  for (const [index, { path }] of GIVEN_UP.entries())
    expect(await ask('POST', tokens[index]!, path)).toBe('200');
  await anvil.call('evm_increaseTime', [DAY_SECONDS]);
  await anvil.call('evm_mine');
  for (const [index, { path, tries, refusal }] of GIVEN_UP.entries()) {
    expect(await ask('DELETE', tokens[index]!, path)).toMatch(/^502 The call reverted: Irrevocable\(\d+\)$/);
    expect(await tries(tokens[index]!)).toBe(refusal);
  }
});
