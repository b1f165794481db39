import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { Interface, Transaction } from 'ethers';
import { managedErc20Abi } from '../../generated/contracts.ts';
import { query } from '../../src/db/client.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { FLAWLESS } from '../../lab/faults/judge.ts';
import type { ClientLog } from '../../lab/faults/judge.ts';
import { deployTargets, emptyLog, mintOnce } from '../../lab/load/load.ts';
import type { Target } from '../../lab/load/load.ts';
import { replaceFrom } from '../../lab/faults/reorgs.ts';
import { startStand } from '../setup/stand.ts';
import type { Stand } from '../setup/stand.ts';
import { openChain } from '../setup/chain.ts';
import { withFullGas } from '../setup/full-gas.ts';
import type { TestAccount } from '../../lab/stage/service.ts';
import { deployToken } from '../../lab/stage/tokens.ts';
import { SHORT_TIMINGS } from './timings.ts';

const BOB = '0x3440326f551B8A7ee198cEE35cb5D517f2d296a2';

let stand: Stand;
afterEach(() => stand.stop());

/** Code that burns all its gas when it is asked to approve an account, and reverts whatever else it is asked. */
function codeThatBurnsApprovals(): string {
  const { selector } = new Interface(managedErc20Abi).getFunction('approveAccount')!;
  // push0 calldataload shr(224) push4 eq push1 jumpi; push0 push0 revert; jumpdest push1 jump
  return `0x5f3560e01c63${selector.slice(2)}146011575f5ffd5b601156`;
}

/** A token whose recipients have to be approved. */
const deployClub = async (account: TestAccount): Promise<Target> => ({
  account,
  address: await deployToken(account, 'ERC20', false),
});

async function approve(
  { account, address }: Target,
  log: ClientLog,
  verb: 'approve' | 'unapprove' = 'approve',
): Promise<void> {
  const { response } = await account.api.POST(`/tokens/{address}/${verb}-account`, {
    params: { path: { address }, header: { Prefer: 'respond-async' } },
    body: { account: BOB },
  });
  log.acknowledged.add(response.headers.get('Intent-Id')!);
}

test('a call that fails while an earlier one of its contract goes again goes again too, mined or still queued', async () => {
  stand = await startStand({ blockTimeSeconds: 0.25 }, { CONFIRMATIONS: '24', MAX_IN_FLIGHT: '1' });
  const { anvil, proxy, mintmark, verdict, waitForRow } = stand;
  const { db } = mintmark.service.context;
  const account = await mintmark.register();
  const [before] = await deployTargets([account]);
  const target = await deployClub(account);
  const log = emptyLog();

  // While a transaction of another contract is under way, two calls gather that shall share the next one.
  proxy.options.faultFor = (method) => (method === 'eth_sendRawTransaction' ? 'withhold' : null);
  await mintOnce(before!, log);
  const [first] = await waitForRow<{ nonce: bigint }>(`select nonce from transactions where status = 'open'`);
  await approve(target, log);
  await mintOnce(target, log, { owner: BOB });
  proxy.options.faultFor = (method, params) =>
    method === 'eth_sendRawTransaction' && Transaction.from(params[0] as string).nonce > first!.nonce
      ? 'withhold'
      : null;
  const [shared] = await waitForRow<{ raw: Hex; calls: bigint }>(
    `select a.raw, (select count(*) from transaction_intents m where m.transaction_id = t.id) as calls
       from transactions t join attempts a on a.transaction_id = t.id where t.nonce = ${first!.nonce + 1n}`,
  );
  expect(shared!.calls).toBe(2n);

  // Mined, the approval uses up its gas, and the mint that needs it fails.
  const code = await anvil.call('eth_getCode', [target.address, 'latest']);
  await anvil.call('anvil_setCode', [target.address, codeThatBurnsApprovals()]);
  await anvil.call('eth_sendRawTransaction', [shared!.raw]);
  await waitForRow(`select 1 from transactions where nonce = ${first!.nonce + 1n} and status <> 'open'`);
  await anvil.call('anvil_setCode', [target.address, code]);
  proxy.options.faultFor = () => null;
  // This one waits in the queue while the approval is not there yet; and though it wants a transaction for itself, it
  // keeps nobody else waiting.
  await withFullGas(db, () => mintOnce(target, log, { owner: BOB }));
  const { response } = await account.api.POST('/tokens/{address}/mint', {
    params: { path: { address: before!.address } },
    body: { owner: BOB, amount: '1' },
  });
  expect(response.status).toBe(200);
  log.acknowledged.add(response.headers.get('Intent-Id')!);
  const waiting = await query<{ kind: string; status: string }>(
    db,
    `select kind, status from intents where status in ('queued', 'submitted') order by number`,
  );
  expect(waiting).toEqual([
    { kind: 'approve_account', status: 'submitted' },
    { kind: 'mint', status: 'submitted' },
    { kind: 'mint', status: 'queued' },
  ]);

  expect(await verdict(log)).toMatchObject({ ...FLAWLESS, acknowledged: 5, failed: 0 });
});

test('a control that has to go again does not undo one that was asked after it and is in flight', async () => {
  stand = await startStand({ blockTimeSeconds: 0.25 }, { CONFIRMATIONS: '12' }, { timings: SHORT_TIMINGS });
  const { anvil, proxy, mintmark, quiet, verdict, waitForRow } = stand;
  const club = await deployClub(await mintmark.register());
  await quiet();
  const log = emptyLog();

  // Mined, the approval uses up its gas.
  proxy.options.faultFor = (method) => (method === 'eth_sendRawTransaction' ? 'withhold' : null);
  await approve(club, log);
  const [first] = await waitForRow<{ nonce: bigint; raw: Hex }>(
    `select t.nonce, a.raw from transactions t join attempts a on a.transaction_id = t.id where t.status = 'open'`,
  );
  const code = await anvil.call('eth_getCode', [club.address, 'latest']);
  await anvil.call('anvil_setCode', [club.address, codeThatBurnsApprovals()]);
  await anvil.call('eth_sendRawTransaction', [first!.raw]);
  await waitForRow(`select 1 from transactions where nonce = ${first!.nonce} and status = 'mined'`);
  await anvil.call('anvil_setCode', [club.address, code]);

  // What takes it back is under way when the approval is to go again.
  await approve(club, log, 'unapprove');
  await waitForRow(`select 1 from transactions where nonce = ${first!.nonce + 1n} and status = 'open'`);
  await waitForRow(`select 1 from transactions where nonce = ${first!.nonce} and status = 'final'`);
  await sleep(1_500);
  proxy.options.faultFor = () => null;
  expect(await verdict(log)).toMatchObject({ ...FLAWLESS, acknowledged: 2, failed: 1 });
  using chain = openChain({ ...mintmark, chain: anvil });
  expect(await chain.erc20(club.address).getFunction('isApprovedAccount')(BOB)).toBe(false);
});

test('a cancel in the middle of a simulation stops that call and not the lane', async () => {
  stand = await startStand({ blockTimeSeconds: 0.25 });
  const { proxy, mintmark, verdict } = stand;
  const { db } = mintmark.service.context;
  const account = await mintmark.register();
  const [target] = await deployTargets([account]);
  const log = emptyLog();
  const terms = () => query<{ term: bigint }>(db, 'select term from lanes');
  const before = await terms();
  let cancelled: number | undefined;
  proxy.options.before = (method) => {
    if (method !== 'eth_call') return undefined;
    proxy.options.before = () => undefined;
    return (async () => {
      const [first] = await query<{ id: string }>(
        db,
        `select id from intents where status = 'queued' limit 1`,
      );
      const path = { id: first!.id };
      cancelled = (await account.api.POST('/intents/{id}/cancel', { params: { path } })).response.status;
    })();
  };
  const mints = [1, 2].map(() => mintOnce(target!, log));
  await Promise.all(mints);
  expect(await verdict(log)).toMatchObject({ ...FLAWLESS, acknowledged: 2, confirmed: 2 });
  expect(cancelled).toBe(200);
  expect(await terms()).toEqual(before);
});

test('cancels in the middle of simulations stop what comes after them in their contract, and nobody else', async () => {
  stand = await startStand({ blockTimeSeconds: 0.25 });
  const { proxy, mintmark, verdict } = stand;
  const { db } = mintmark.service.context;
  const [one, other] = [await mintmark.register(), await mintmark.register()];
  const [first, second, bystander] = await deployTargets([one, one, other]);
  const log = emptyLog();
  const terms = () => query<{ term: bigint }>(db, 'select term from lanes');
  const before = await terms();
  const cancelFirst = async (): Promise<number> => {
    const [intent] = await query<{ id: string }>(
      db,
      `select id from intents where status = 'queued' order by number limit 1`,
    );
    const { response } = await one.api.POST('/intents/{id}/cancel', { params: { path: { id: intent!.id } } });
    return response.status;
  };
  const cancelled: number[] = [];
  proxy.options.before = (method) => {
    if (method !== 'eth_call' || cancelled.length === 2) return undefined;
    return (async () => {
      // All of these wait for the next batch, and for its cancel.
      if (cancelled.length === 0)
        for (const target of [first!, first!, second!, bystander!]) await mintOnce(target, log);
      cancelled.push(await cancelFirst());
    })();
  };
  await mintOnce(first!, log);
  expect(await verdict(log)).toMatchObject({ ...FLAWLESS, acknowledged: 5, confirmed: 6 });
  expect(cancelled).toEqual([200, 200]);
  expect(await terms()).toEqual(before);
  const transactions = await query<{ contracts: string[] }>(
    db,
    `select array_agg('0x' || encode(i.contract, 'hex') order by m.position) as contracts
       from transactions t join transaction_intents m on m.transaction_id = t.id join intents i on i.number = m.intent_number
      where i.kind = 'mint' group by t.nonce order by t.nonce`,
  );
  expect(transactions.map(({ contracts }) => contracts.toSorted())).toEqual([
    [second!.address, bystander!.address].map((address) => address.toLowerCase()).toSorted(),
    [first!.address.toLowerCase()],
  ]);
});

test('a call does not fail when a reorg takes back what it needs while its revert is verified', async () => {
  stand = await startStand({ blockTimeSeconds: 0.25 }, { CONFIRMATIONS: '20' });
  const { anvil, proxy, mintmark, quiet, verdict, waitForRow } = stand;
  const club = await deployClub(await mintmark.register());
  await quiet();
  const log = emptyLog();
  await approve(club, log);
  const [approval] = await waitForRow<{ block: bigint }>(
    `select block_number as block from transactions where status = 'mined'`,
  );
  proxy.options.before = (method) => {
    if (method !== 'eth_call') return undefined;
    proxy.options.before = () => undefined;
    return replaceFrom(anvil, approval!.block);
  };
  await mintOnce(club, log, { owner: BOB });
  expect(await verdict(log)).toMatchObject({ ...FLAWLESS, acknowledged: 2, failed: 0 });
});

test('a process that loses the lane in the middle of a simulation gives no verdict', async () => {
  stand = await startStand({ blockTimeSeconds: 0.25 });
  const { proxy, mintmark, verdict } = stand;
  const { db } = mintmark.service.context;
  const club = await deployClub(await mintmark.register());
  const log = emptyLog();
  const takeOver = `update lanes set term = term + 1, holder = 'another', lease_until = now() + interval '3 seconds'`;
  let simulations = 0;
  proxy.options.before = (method) => {
    if (method !== 'eth_call') return undefined;
    simulations += 1;
    // The second is the one that decides.
    return simulations === 2 ? query(db, takeOver) : undefined;
  };
  const statuses = () => query<{ status: string }>(db, `select status from intents where kind = 'mint'`);
  // Nobody has approved this recipient.
  await mintOnce(club, log, { owner: BOB });
  await sleep(2_000);
  expect([simulations, await statuses()]).toEqual([2, [{ status: 'queued' }]]);
  expect(await verdict(log)).toMatchObject({ ...FLAWLESS, acknowledged: 1, failed: 1 });
});
