import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { INTERFACES } from '../../src/chain/abi/interfaces.ts';
import { openChain } from '../setup/chain.ts';
import { makeRevertWith } from '../setup/mining.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';
import { RECIPIENT, deployToken, requestMint } from '../../lab/stage/tokens.ts';

/* A receiver may revert with the words of any contract: the status of the answer is not its choice. */

const RECEIVER = '0x00000000000000000000000000000000000bad0f';

let mintmark: TestService;
let account: TestAccount;
let chain: ReturnType<typeof openChain>;

beforeAll(async () => {
  mintmark = await startTestService();
  chain = openChain(mintmark);
  account = await mintmark.register();
});

afterAll(async () => {
  chain?.close();
  await mintmark?.stop();
});

async function mintTo(token: string, owner: string, amount: string | null = null) {
  const { status, body } = await requestMint(account, token, { owner, amount });
  return { status, ...(body as object) };
}

function encode(name: string, values: unknown[]): string {
  const abi = INTERFACES.find((one) => one.getError(name))!;
  return abi.encodeErrorResult(name, values);
}

test.each([
  ['CreationPaused', () => []],
  ['InvalidMintLimit', () => [1]],
  ['ERC721NonexistentToken', () => [7]],
  ['AccountNotApproved', () => [RECIPIENT]],
  // Of itself, at a token that asks nobody to be approved.
  ['AccountNotApproved', () => [RECEIVER]],
  ['TargetWithoutCode', () => [mintmark.service.context.system.collectionFactory]],
])('a receiver that reverts with %s is 502', async (name, values) => {
  const badges = await deployToken(account, 'ERC721');
  await makeRevertWith(chain, RECEIVER, encode(name, values()));
  expect(await mintTo(badges, RECEIVER)).toMatchObject({ status: 502, code: 'CHAIN_ERROR' });
});

test('an approved receiver that says that it is not is 502', async () => {
  const badges = await deployToken(account, 'ERC721', false);
  await makeRevertWith(chain, RECEIVER, encode('AccountNotApproved', [RECEIVER]));
  const approval = await account.api.POST('/tokens/{address}/approve-account', {
    params: { path: { address: badges } },
    body: { account: RECEIVER },
  });
  expect(approval.response.status).toBe(200);
  expect(await mintTo(badges, RECEIVER)).toMatchObject({ status: 502, code: 'CHAIN_ERROR' });
});

test.each([
  ['ERC20', '1'],
  ['ERC721', null],
] as const)('a recipient that is not approved at an %s is 422', async (type, amount) => {
  const token = await deployToken(account, type, false);
  expect(await mintTo(token, RECIPIENT, amount)).toMatchObject({ status: 422, code: 'VALIDATION_ERROR' });
});
