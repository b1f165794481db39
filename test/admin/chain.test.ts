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
import { until } from '../setup/until.ts';
import { openChain } from '../setup/chain.ts';
import { copyDatabase } from '../../lab/stage/database.ts';
import { waitForStatus } from '../../lab/stage/intents.ts';
import { withoutBlocks } from '../setup/mining.ts';
import { startTestService } from '../../lab/stage/service.ts';
import type { TestAccount, TestService } from '../../lab/stage/service.ts';
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

  test('keeps no epoch from beginning, and what was accepted before goes on in that', async () => {
    const account = await mintmark.register();
    const token = await deployToken(account);
    expect(await cli.say('execution', 'stop')).toMatch(/^Execution is stopped now/);
    const { intentId } = await requestMint(account, token, { prefer: 'respond-async' });
    await cli.say('recover');
    await until(async () => /epoch +2\nexecution +stopped\n/.test(await cli.say('signers', 'status')));
    await cli.say('execution', 'start');
    await waitForStatus(account, intentId!, 'confirmed');
    expect(await supplyOf(mintmark, token)).toBe(1n);
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

/**
 * A service of which a backup is restored that lacks what `work` does after it was taken; `prepare` comes right before.
 */
async function restoreAfter(
  work: (source: TestService, mint: () => Promise<unknown>) => Promise<unknown>,
  prepare: (source: TestService, account: TestAccount, token: string) => Promise<unknown> = async () =>
    undefined,
) {
  const source = await startTestService();
  const account = await source.register();
  const token = await deployToken(account);
  // Refused as long as an epoch is about to begin.
  const mint = () => until(async () => (await requestMint(account, token)).status === 200);
  await source.service.stop();
  await prepare(source, account, token);
  const backup = await copyDatabase(source.databaseUrl);
  await source.restart();
  await work(source, mint);
  await source.service.stop();
  const environment = { ...source.environment, DATABASE_URL: backup, OPERATOR_ADMIN: first.address };
  const start = (...args: string[]) => startService(readConfig(args, environment), createLogger('silent'));
  return { source, account, token, mint, start, cli: createCli(environment) };
}

test('a restored backup is refused, and starts once the loss of what it lacks is accepted', async () => {
  const restored = await restoreAfter((_source, mint) => mint());
  await using source = restored.source;
  const known = 'The chain knows intent 2, but the database only 1: it is an older backup';
  await expect(restored.start()).rejects.toThrow(known);
  expect(await restored.cli.refuse('recover')).toMatch(new RegExp(`${known}.*recover --accept-loss`));
  expect(await restored.cli.say('recover', '--accept-loss')).toMatch(
    /^The Operator 0x\S+ goes on in epoch 2\.\n/,
  );
  source.service = await restored.start();
  await restored.mint();
  expect(await supplyOf(source, restored.token)).toBe(2n);
});

describe('recover, of a service that lacks nothing', () => {
  /** A backup from before that epoch; the Operator takes another raise at once. */
  const restoreBefore = () =>
    restoreAfter(async (source, mint) => {
      const running = createCli(source.environment);
      expect(await running.ask('recover')).toEqual({
        isLossAccepted: false,
        epochs: [{ operator: getAddress(source.service.context.system.operator), epoch: 2 }],
      });
      await mint();
      expect(await running.say('signers', 'status')).toMatch(/epoch +2\n/);
      using opened = openChain(source);
      await opened.provider.send('evm_increaseTime', [600]);
      await mint();
    });

  test('begins a new epoch while that runs, and a backup from before goes on in the next one', async () => {
    const restored = await restoreBefore();
    await using source = restored.source;
    await expect(restored.start()).rejects.toThrow(
      /is in epoch 2, which this database has not raised it to.*recover --accept-loss/,
    );
    await restored.cli.say('recover', '--accept-loss');
    source.service = await restored.start();
    await until(async () => /epoch +3\n/.test(await restored.cli.say('signers', 'status')));
    await restored.mint();
    expect(await supplyOf(source, restored.token)).toBe(3n);
  });

  test('a backup accepts nothing before its epoch has begun, and then a write has an effect of its own', async () => {
    const restored = await restoreBefore();
    await using source = restored.source;
    await restored.cli.say('recover', '--accept-loss');
    source.service = await restored.start('--role', 'api');
    expect((await requestMint(restored.account, restored.token)).status).toBe(500);
    await using stack = new AsyncDisposableStack();
    stack.use(await restored.start('--role', 'engine'));
    await restored.mint();
    expect(await supplyOf(source, restored.token)).toBe(3n);
  });

  test('what a backup has accepted for an epoch that began since is done once', async () => {
    let intentId = '';
    const restored = await restoreAfter(
      async (source, mint) => {
        await mint();
        using opened = openChain(source);
        await opened.provider.send('evm_increaseTime', [600]);
        await mint();
      },
      async (source, account, token) => {
        const variables = { ...source.environment, OPERATOR_ADMIN: first.address };
        source.service = await startService(readConfig(['--role', 'api'], variables), createLogger('silent'));
        const accepted = await requestMint(account, token, { prefer: 'respond-async' });
        intentId = accepted.intentId!;
        await source.service.stop();
        await createCli(source.environment).say('recover');
      },
    );
    await using source = restored.source;
    expect(await supplyOf(source, restored.token)).toBe(3n);
    await restored.cli.say('recover', '--accept-loss');
    source.service = await restored.start();
    await waitForStatus(restored.account, intentId, 'confirmed');
    expect(await supplyOf(source, restored.token)).toBe(3n);
  });

  test('a backup that knows of a raise which was not sent yet is refused too', async () => {
    const restored = await restoreAfter(
      (_source, mint) => mint(),
      (source) => createCli(source.environment).say('recover'),
    );
    await using source = restored.source;
    const answer = await restored.start().catch(String);
    if (typeof answer !== 'string') source.service = answer;
    expect(answer).toMatch(/it is an older backup/);
  });
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
