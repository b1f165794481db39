import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Wallet, getAddress } from 'ethers';
import { castSend } from '../../src/admin/operator.ts';
import { runProgram } from '../../src/admin/program.ts';
import { readConfig } from '../../src/config.ts';
import { query } from '../../src/db/client.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { startService } from '../../src/start/service.ts';
import { startEndpoint } from '../../lab/proxies/rpc/endpoint.ts';
import { openChain } from '../setup/chain.ts';
import { copyDatabase } from '../../lab/stage/database.ts';
import { waitForStatus } from '../../lab/stage/intents.ts';
import { withoutBlocks } from '../setup/mining.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestService } from '../../lab/stage/service.ts';
import { RECIPIENT, deployToken, requestMint } from '../../lab/stage/tokens.ts';
import { askForHeldLane, createCli } from '../../lab/stage/cli.ts';
import type { SignerStatus } from '../../lab/stage/cli.ts';

const [first, , other] = embeddedAccounts;

let mintmark: TestService;
let chain: ReturnType<typeof openChain>;
let cli: ReturnType<typeof createCli>;

beforeAll(async () => {
  mintmark = await startTestService();
  chain = openChain(mintmark);
  cli = createCli(mintmark.environment);
});

afterAll(async () => {
  chain.close();
  await mintmark.stop();
});

const operatorAddress = (): string => getAddress(mintmark.service.context.system.operator);

/** The same installation seen from where the admin's key is not. */
const withoutAdmin = () => createCli({ ...mintmark.environment, SIGNER_KEY: other.privateKey });

test('signers status shows each signer', async () => {
  await deployToken(await mintmark.register());
  const [signer, ...rest] = await askForHeldLane(cli);
  expect(rest).toEqual([]);
  const count = await chain.provider.getTransactionCount(first.address);
  expect(signer).toMatchObject({
    address: first.address,
    configured: true,
    executor: true,
    nonceOnChain: count,
  });
  expect(signer!.lane).toMatchObject({ nextNonce: count, isHeld: true, openTransactions: 0, isSender: true });
  expect(BigInt(signer!.balance)).toBe(await chain.provider.getBalance(first.address));
  expect(await cli.say('signers', 'status')).toMatch(/balance +\d+\.\d+ ether\n/);
});

test('signers status on a chain that was reset to its genesis block says so', async () => {
  await using stack = new AsyncDisposableStack();
  const reset = await startEndpoint(mintmark.chain.url);
  stack.defer(() => reset.stop());
  reset.layers.push(async (request, forward) =>
    request.method === 'eth_call' ? { result: '0x' } : forward(request),
  );
  const elsewhere = createCli({ ...mintmark.environment, RPC_URL: reset.url });
  expect(await elsewhere.refuse('signers', 'status')).toMatch(/lacks the contracts of this database/);
});

const HEIR: string = embeddedAccounts[4].address;

/** Accepts a token, and keeps its operator. */
async function acceptAs(heir: string, token: string): Promise<void> {
  const data = chain.erc20(token).interface.encodeFunctionData('acceptOwnership', [operatorAddress()]);
  const signer = await chain.provider.getSigner(heir);
  await (await signer.sendTransaction({ to: token, data })).wait();
}

describe('ownership of a token', () => {
  test('is offered once to the given address, which has to accept it', async () => {
    const account = await mintmark.register();
    const token = await deployToken(account);
    expect(await chain.erc20(token)['owner']!()).toBe(operatorAddress());
    const answer = await cli.ask('tokens', 'transfer-ownership', token, RECIPIENT.toLowerCase());
    expect(answer).toMatchObject({ token, owner: RECIPIENT, changed: true, sent: true });
    expect(await chain.erc20(token)['pendingOwner']!()).toBe(RECIPIENT);
    expect(await chain.erc20(token)['owner']!()).toBe(operatorAddress());
    expect(await cli.say('tokens', 'transfer-ownership', token, RECIPIENT)).toMatch(/offered to .* already/);
    expect(await cli.say('tokens', 'transfer-ownership', token, HEIR)).toMatch(
      /as soon as that account calls/,
    );
    await acceptAs(HEIR, token);
    expect(await chain.erc20(token)['owner']!()).toBe(HEIR);
    expect(await cli.say('tokens', 'transfer-ownership', token, HEIR)).toMatch(/owner already/);
    expect(await cli.refuse('tokens', 'transfer-ownership', token, first.address)).toBe(
      `The owner of this token is ${HEIR}, who alone may give it away`,
    );
    // The admin's key is the signer's, too: its lane goes on with the nonce after that.
    expect((await requestMint(account, token)).status).toBe(200);
  });

  test('of a foreign token cannot be transferred', async () => {
    expect(await cli.refuse('tokens', 'transfer-ownership', RECIPIENT, first.address)).toMatch(/No token/);
  });
});

describe('a new signer', () => {
  test('is granted the executor role', async () => {
    const { address } = Wallet.createRandom();
    const role: unknown = await chain.operator['EXECUTOR_ROLE']!();
    expect(await cli.ask('signers', 'grant', address)).toMatchObject({
      signer: address,
      executor: true,
      sent: true,
    });
    expect(await chain.operator['hasRole']!(role, address)).toBe(true);
    expect(await cli.say('signers', 'grant', address)).toMatch(/already/);
  });

  test('that waits for a block is told what it waits for, once', async () => {
    const { address } = Wallet.createRandom();
    let errors = '';
    let mineAgain = (): void => undefined;
    const isSaid = new Promise<void>((resolve) => (mineAgain = resolve));
    let ended: Promise<number> | undefined;
    await withoutBlocks(chain, async () => {
      ended = runProgram(['signers', 'grant', address], {
        env: mintmark.environment,
        write: () => undefined,
        writeError: (text) => {
          errors += text;
          mineAgain();
        },
        input: Readable.from([]),
      });
      await Promise.race([isSaid, ended]);
    });
    expect(await ended).toBe(0);
    expect(errors.match(/waiting for a block with this transaction/g)).toHaveLength(1);
  });

  test('gets calldata for a grant by hand when the key of the admin is elsewhere', async () => {
    const { address } = Wallet.createRandom();
    const admin = await chain.provider.getSigner(first.address);
    const stranger = await chain.provider.getSigner(1);
    const role: unknown = await chain.operator['EXECUTOR_ROLE']!();
    const answer = await withoutAdmin().ask<{ sent: boolean; to: Hex; data: Hex }>(
      'signers',
      'grant',
      address,
    );
    expect(answer).toMatchObject({ sent: false, executor: false, to: operatorAddress() });
    const said = await withoutAdmin().say('signers', 'grant', address);
    expect(said).toContain(castSend(answer.to, answer.data));
    const transaction = { to: answer.to, data: answer.data };
    await expect(stranger.sendTransaction(transaction)).rejects.toThrow();
    expect(await chain.operator['hasRole']!(role, address)).toBe(false);
    await (await admin.sendTransaction(transaction)).wait();
    expect(await chain.operator['hasRole']!(role, address)).toBe(true);
    expect(await withoutAdmin().say('signers', 'grant', address)).toMatch(/already/);
    // The admin's key is the signer's, too: the lane learns of the nonces that were used beside it.
    await cli.ask('signers', 'grant', Wallet.createRandom().address);
  });
});

describe('the emergency stop', () => {
  const stopped = () => chain.operator['stopped']!() as Promise<boolean>;

  test('stops and starts execution; a write waits in between, and says for what', async () => {
    const account = await mintmark.register();
    const token = await deployToken(account);
    expect(await cli.ask('execution', 'stop')).toMatchObject({ stopped: true, sent: true });
    expect(await stopped()).toBe(true);
    expect(await cli.say('execution', 'stop')).toBe('Execution is stopped already.\n');
    expect(await cli.say('signers', 'status')).toMatch(/epoch +1\nexecution +stopped\n/);
    const { intentId } = await requestMint(account, token, { prefer: 'respond-async' });
    for (let look = 0; look < 100; look += 1) {
      if ((await cli.say('intents', 'show', intentId!)).includes('execution start')) break;
      await sleep(100);
    }
    expect(await cli.say('intents', 'show', intentId!)).toContain('execution start');
    expect(await cli.say('execution', 'start')).toMatch(/^Execution runs now, with transaction 0x/);
    await waitForStatus(account, intentId!, 'confirmed');
    expect(await cli.ask('execution', 'start')).toEqual({ stopped: false, sent: false });
  });

  test('is printed for the holder of the key when that is elsewhere', async () => {
    const answer = await withoutAdmin().ask<{ to: Hex; data: Hex }>('execution', 'stop');
    expect(answer).toMatchObject({ stopped: false, sent: false, to: operatorAddress() });
    const said = await withoutAdmin().say('execution', 'stop');
    expect(said).toContain('a guardian or the admin');
    expect(said).toContain(castSend(answer.to, answer.data));
    expect(await stopped()).toBe(false);
  });

  test('is sent with the key of a guardian', async () => {
    const role: unknown = await chain.operator['GUARDIAN_ROLE']!();
    const admin = await chain.provider.getSigner(first.address);
    const { interface: abi } = chain.operator;
    const ofItself = async (name: string): Promise<void> => {
      const call = abi.encodeFunctionData(name, [role, other.address]);
      const data = abi.encodeFunctionData('adminExecute', [operatorAddress(), call]);
      await (await admin.sendTransaction({ to: operatorAddress(), data })).wait();
    };
    await ofItself('grantRole');
    // The admin's key is the signer's, too: the lane learns of the nonce that was used beside it.
    await cli.ask('signers', 'grant', Wallet.createRandom().address);
    expect(await withoutAdmin().ask('execution', 'stop')).toMatchObject({ stopped: true, sent: true });
    expect(await withoutAdmin().ask('execution', 'start')).toMatchObject({ stopped: false, sent: true });
    expect(await stopped()).toBe(false);
    // It is a signer later.
    await ofItself('revokeRole');
  });
});

describe('an intent', () => {
  test('is explained while no block is mined, and afterwards', async () => {
    const account = await mintmark.register();
    const token = await deployToken(account);
    const show = (id: string) => cli.ask<Record<string, unknown>>('intents', 'show', id);
    await withoutBlocks(chain, async (mine) => {
      const nonce = await chain.provider.getTransactionCount(first.address);
      const one = await requestMint(account, token, { prefer: 'respond-async' });
      await waitForStatus(account, one.intentId!, 'submitted');
      const two = await requestMint(account, token, { prefer: 'respond-async' });
      await waitForStatus(account, two.intentId!, 'submitted');
      expect(await show(one.intentId!)).toMatchObject({
        status: 'submitted',
        account: { email: account.email },
        contract: token,
        signer: first.address,
        nonce,
        nonceOnChain: nonce,
        blockingNonce: nonce,
        // On a busy machine it may be bid for again.
        cause: expect.stringMatching(
          new RegExp(
            `^Its transaction with nonce ${nonce} was sent with (one bid|\\d+ bids) and is not mined\\.$`,
          ),
        ),
      });
      expect(await show(two.intentId!)).toMatchObject({
        nonce: nonce + 1,
        blockingNonce: nonce,
        since: expect.any(String),
        cause: expect.stringMatching(
          new RegExp(
            `^It has nonce ${nonce + 1} and waits behind nonce ${nonce}, which was sent with (one bid|\\d+ bids) and is not mined\\.$`,
          ),
        ),
      });
      await mintmark.service.stop();
      const orphaned = await show(one.intentId!);
      expect(orphaned).toMatchObject({
        leaseUntil: null,
        cause: `No process holds the lane of its signer ${first.address.toLowerCase()}.`,
      });
      expect(await cli.say('intents', 'show', one.intentId!)).toMatch(
        /next +Start the service with the key of/,
      );
      const silent = createCli({ ...mintmark.environment, RPC_URL: 'http://127.0.0.1:1' });
      expect(await silent.ask('intents', 'show', one.intentId!)).toMatchObject({
        nonceOnChain: null,
        cause: 'The chain does not answer.',
      });
      await mintmark.restart();
      await mine();
      await waitForStatus(account, one.intentId!, 'confirmed');
      expect(await show(one.intentId!)).toMatchObject({
        status: 'confirmed',
        cause: 'It is done, for good.',
      });
    });
  });

  test('is explained after it was cancelled or failed', async () => {
    const account = await mintmark.register();
    const token = await deployToken(account);
    await account.api.POST('/tokens/{address}/pause', { params: { path: { address: token } } });
    const failed = await requestMint(account, token);
    expect(failed.status).toBe(502);
    expect(await cli.ask('intents', 'show', failed.intentId!)).toMatchObject({
      status: 'failed',
      cause: expect.stringContaining('had no effect: The call reverted: TokenPaused()'),
    });
  });
});

test('a restored backup starts again after recover --accept-gap', async () => {
  await using source = await startTestService();
  const command = createCli(source.environment);
  const account = await source.register();
  const token = await deployToken(account);
  await source.service.stop();
  const backup = await copyDatabase(source.databaseUrl);
  // What the chain does from here on is of the next generation of numbers, and found there.
  expect(await command.ask('recover', '--accept-gap')).toMatchObject({
    newest: '1',
    done: null,
    next: String(2n ** 32n + 1n),
  });
  await source.restart();
  expect((await requestMint(account, token)).status).toBe(200);
  await source.service.stop();

  const restored = { ...source.environment, DATABASE_URL: backup };
  const start = () => startService(readConfig([], restored), createLogger('silent'));
  await expect(start()).rejects.toThrow('run "npm run admin -- recover --accept-gap"');
  const said = await createCli(restored).say('recover', '--accept-gap');
  expect(said).toMatch(
    /knew intents up to 1, the chain up to 4294967297; the next one gets number 8589934593/,
  );
  source.service = await start();
  expect((await requestMint(account, token)).status).toBe(200);
  expect(await supplyOf(source, token)).toBe(2n);
});

async function supplyOf(of: TestService, token: string): Promise<bigint> {
  using opened = openChain(of);
  return (await opened.erc20(token)['totalSupply']!()) as bigint;
}

test('after a rotation of signers under load no write is lost or done twice, and the old one is no executor', async () => {
  const account = await mintmark.register();
  const { db } = mintmark.service.context;
  const tokens = [await deployToken(account), await deployToken(account)];
  expect(await cli.refuse('signers', 'rotate')).toMatch(/--from ADDRESS --to ADDRESS/);
  const pair = ['--from', first.address, '--to', other.address];

  const early = await cli.ask<{ isComplete: boolean; remaining: string[] }>('signers', 'rotate', ...pair);
  expect(early).toMatchObject({ isComplete: false, done: [`${other.address} is an executor`] });
  expect(early.remaining[0]).toMatch(new RegExp(`Start an engine with the key of ${other.address}`));
  // Nothing has changed for the old one yet.
  expect((await requestMint(account, tokens[0]!)).status).toBe(200);

  const variables = { ...mintmark.environment, SIGNER_KEY: other.privateKey, OPERATOR_ADMIN: first.address };
  await using stack = new AsyncDisposableStack();
  stack.use(await startService(readConfig(['--role', 'engine'], variables), createLogger('silent')));
  let isOver = false;
  const statuses: number[] = [];
  const load = tokens.flatMap((token) =>
    Array.from({ length: 3 }, async () => {
      while (!isOver && statuses.length < 80) statuses.push((await requestMint(account, token)).status);
    }),
  );
  const rotated = await cli.ask('signers', 'rotate', ...pair);
  isOver = true;
  await Promise.all(load);
  expect(rotated).toMatchObject({ isComplete: true, remaining: [] });
  expect(statuses.length).toBeGreaterThan(0);
  expect(new Set(statuses)).toEqual(new Set([200]));
  const minted = await Promise.all(tokens.map((token) => supplyOf(mintmark, token)));
  expect(minted[0]! + minted[1]!).toBe(BigInt(statuses.length) + 1n);

  const last = await requestMint(account, tokens[0]!);
  const { data } = await account.api.GET('/intents/{id}', { params: { path: { id: last.intentId! } } });
  const transaction = await chain.provider.getTransaction(data!.transaction!.hash);
  expect(transaction!.from).toBe(other.address);
  const status = await cli.ask<SignerStatus[]>('signers', 'status');
  expect(status.map(({ address, executor }) => [address, executor]).sort()).toEqual(
    [
      [first.address, false],
      [other.address, true],
    ].sort(),
  );
  const [left] = await query<{ count: bigint }>(
    db,
    `select count(*) from transactions where signer = :signer and status in ('open', 'mined')`,
    { signer: Buffer.from(first.address.slice(2), 'hex') },
  );
  expect(left!.count).toBe(0n);
  // Simulations are asked in the name of a signer that still may.
  const pause = chain.erc20(tokens[0]!).interface.encodeFunctionData('pause') as `0x${string}`;
  const target = tokens[0]!.toLowerCase() as `0x${string}`;
  expect(await mintmark.service.context.engine.measure({ target, data: pause })).toBeGreaterThan(0);
  // Again is nothing new, and a signer that was retired can come back.
  expect(await cli.ask('signers', 'rotate', ...pair)).toMatchObject({
    isComplete: true,
  });
  const back = ['--from', other.address, '--to', first.address];
  await cli.say('signers', 'grant', first.address);
  await withoutBlocks(chain, async (mine) => {
    const { intentId } = await requestMint(account, tokens[1]!, { prefer: 'respond-async' });
    await waitForStatus(account, intentId!, 'submitted');
    expect(await cli.ask('signers', 'rotate', ...back, '--wait', '0')).toMatchObject({
      isComplete: false,
      remaining: [expect.stringContaining('have no final verdict yet')],
    });
    await mine();
  });
  expect(await cli.ask('signers', 'rotate', ...back)).toMatchObject({ isComplete: true });
  expect((await requestMint(account, tokens[1]!)).status).toBe(200);
});
