import { beforeAll, expect, test } from '@jest/globals';
import { id } from 'ethers';
import { OPERATOR as OPERATOR_ABI } from '../../src/chain/abi/interfaces.ts';
import { RpcRefused, RpcUnreachable, createRpc } from '../../src/chain/rpc/rpc.ts';
import { query } from '../../src/db/client.ts';
import { acceptGap, explainIntent } from '../../src/engine/index.ts';
import { openLane } from '../../src/engine/lane/lane.ts';
import { failInTurn } from '../../src/engine/settle/verdict.ts';
import { tieToChain } from '../../src/engine/store/chain-identity.ts';
import { markRetiring } from '../../src/engine/store/lane-commands.ts';
import { findLane, takeLane } from '../../src/engine/store/lanes.ts';
import { findNeverSent } from '../../src/engine/store/never-sent.ts';
import { noteSilence } from '../../src/engine/store/silence.ts';
import { cancelQueued } from '../../src/engine/store/verdicts.ts';
import { toBytes } from '../../src/lib/hex.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { insertAccount } from '../../lab/stage/accounts.ts';
import { createLaneParts } from '../setup/lanes.ts';
import { queueIntent } from '../setup/queue.ts';
import { useSuiteDatabase } from '../setup/suite-database.ts';
import { LANE_CONFIG } from './lane-config.ts';

const OPERATOR = `0x${'0a'.repeat(20)}` as const;
const [AHEAD, LEVEL] = [`0x${'01'.repeat(20)}`, `0x${'02'.repeat(20)}`] as const;
/** On their way out: the second one has lost its role. */
const [LEAVING, GONE] = [`0x${'03'.repeat(20)}`, `0x${'04'.repeat(20)}`] as const;

const ROLE_GRANTED = OPERATOR_ABI.getEvent('RoleGranted')!.topicHash;
const HAS_ROLE = OPERATOR_ABI.getFunction('hasRole')!.selector;

const { db } = useSuiteDatabase(1);

beforeAll(async () => {
  await tieToChain(db, { chainId: 1n, genesisHash: `0x${'0b'.repeat(32)}`, operator: OPERATOR });
  for (const signer of [AHEAD, LEVEL, LEAVING, GONE, LAGGING])
    await takeLane(db, signer, { holder: 'one', leaseMs: 60_000, onChain: { nonce: 5n, isHeld: true } });
  for (const signer of [LEAVING, GONE]) await markRetiring(db, signer, true);
});

/** Executors without a lane here: one is known by its key, one by the chain alone, and one has lost its role. */
const [CONFIGURED, GRANTED, REVOKED] = [
  `0x${'05'.repeat(20)}`,
  `0x${'06'.repeat(20)}`,
  `0x${'07'.repeat(20)}`,
] as const;
/** A signer of which the second endpoint has seen more blocks. */
const LAGGING = `0x${'08'.repeat(20)}` as const;

/** The pool of this endpoint has transactions of one signer that the database does not know. */
async function call<Result>(method: string, [first, block]: readonly unknown[]): Promise<Result> {
  if (method === 'eth_getTransactionCount')
    return (first === AHEAD && block === 'pending' ? '0xc' : '0x5') as Result;
  if (method === 'eth_getLogs') {
    expect(first).toMatchObject({ address: OPERATOR, fromBlock: 'earliest', toBlock: 'latest' });
    return [GRANTED, REVOKED, GRANTED].map((account) => ({
      topics: [ROLE_GRANTED, id('EXECUTOR_ROLE'), `0x${'0'.repeat(24)}${account.slice(2)}`, OPERATOR],
    })) as Result;
  }
  const { data } = first as { data: Hex };
  const hasRole = [LEAVING, CONFIGURED, GRANTED].some((signer) => data.includes(signer.slice(2)));
  return (data.startsWith(HAS_ROLE) && hasRole ? '0x1' : '0x0') as Result;
}

/** Of two endpoints, where the first one is behind. */
const callEach = async <Result>(method: string, params: readonly unknown[]): Promise<Result[]> => [
  await call<Result>(method, params),
  params[0] === LAGGING ? ('0x7' as Result) : await call<Result>(method, params),
];

const CHAIN = { rpc: { call, callEach }, operator: OPERATOR, maxInFlight: 4, signers: [CONFIGURED] };

test.each([
  ['that a pool has transactions for', AHEAD, 12n],
  ['that may have been in flight, though this pool has none', LEVEL, 9n],
  ['of a signer that is replaced, and has its role still', LEAVING, 9n],
  ['as far as the endpoint says that lags the least', LAGGING, 11n],
  ['of a signer without a lane here, whose key is', CONFIGURED, 9n],
  ['of a signer without a lane here, which the chain knows', GRANTED, 9n],
])('an accepted gap leaves nonces alone %s, and has them filled', async (_name, signer, nextNonce) => {
  await acceptGap(db, CHAIN);
  expect(await findLane(db, signer)).toMatchObject({ nextNonce, healing: true, isHeld: false });
  const taken = { holder: 'two', leaseMs: 60_000, onChain: { nonce: 5n, isHeld: true } };
  expect(await takeLane(db, signer, taken)).toMatchObject({ nextNonce, healing: true });
});

test('an accepted gap lets nothing wait for the nonces of a signer that was replaced', async () => {
  await acceptGap(db, CHAIN);
  expect(await findLane(db, GONE)).toMatchObject({ nextNonce: 5n, healing: false });
});

test('an accepted gap lets nobody count on the money of a signer whose lane it lacked', async () => {
  await acceptGap(db, CHAIN);
  expect(await findLane(db, GRANTED)).toMatchObject({ funded: false });
  expect(await findLane(db, LEVEL)).toMatchObject({ funded: true });
});

test('an accepted gap lets nothing wait for a signer without a lane and without its role', async () => {
  expect(await acceptGap(db, CHAIN)).toMatchObject({ areExecutorsKnown: true });
  expect(await findLane(db, REVOKED)).toBeUndefined();
});

test.each([
  ['refuses', new RpcRefused('unavailable', 'block range', undefined, undefined)],
  ['does not end', new RpcUnreachable('no answer within 20000 ms')],
])(
  'a gap is accepted, and it is told, when each endpoint %s the search for executors',
  async (_name, end) => {
    await query(db, 'delete from lanes where signer = any(:signers::bytea[])', {
      signers: [CONFIGURED, GRANTED].map(toBytes),
    });
    const rpc = {
      callEach,
      call: async <Result>(method: string, params: readonly unknown[]): Promise<Result> => {
        if (method === 'eth_getLogs') throw end;
        return call(method, params);
      },
    };
    expect(await acceptGap(db, { ...CHAIN, rpc })).toMatchObject({ areExecutorsKnown: false });
    expect(await findLane(db, CONFIGURED)).toMatchObject({ nextNonce: 9n });
    expect(await findLane(db, GRANTED)).toBeUndefined();
  },
);

/** Endpoints that say this of their pools. */
function withPools(...pools: (Hex | RpcRefused)[]): typeof CHAIN.rpc {
  const refusal = pools.find((pool) => pool instanceof RpcRefused);
  const said = pools.filter((pool) => !(pool instanceof RpcRefused));
  return {
    call,
    callEach: async <Result>(method: string, params: readonly unknown[]): Promise<Result[]> => {
      if (params[1] !== 'pending') return callEach<Result>(method, params);
      if (said.length === 0 && refusal) throw refusal;
      return said as Result[];
    },
  };
}

test('a gap is accepted though no endpoint says what its pool has', async () => {
  const refused = new RpcRefused('other', 'pending is not supported', undefined, undefined);
  await acceptGap(db, { ...CHAIN, rpc: withPools(refused, refused) });
  expect(await findLane(db, LEVEL)).toMatchObject({ nextNonce: 9n });
});

test('a gap is not accepted by a count of nonces that cannot be, and nothing is kept of it', async () => {
  const accepting = acceptGap(db, { ...CHAIN, rpc: withPools('0x5', '0x10000000000') });
  await expect(accepting).rejects.toThrow(`RPC_URL says that ${AHEAD} has used 1099511627776 nonces`);
  await acceptGap(db, CHAIN);
  expect(await findLane(db, LEVEL)).toMatchObject({ nextNonce: 9n });
});

test('what has no verdict when a gap is accepted is neither cancelled nor given up: lost bytes may do it yet', async () => {
  await insertAccount(db);
  const { number } = await queueIntent(db, OPERATOR);
  await noteSilence(db);
  const look = { outOfReachMs: 0, limit: 10 };
  expect(await findNeverSent(db, look)).toMatchObject([{ number }]);
  await acceptGap(db, CHAIN);
  expect(await findNeverSent(db, look)).toEqual([]);
  expect(await db.transaction((tx) => cancelQueued(tx, number))).toBeUndefined();
});

test('a gap is accepted by statements of a few rows each, however much has no verdict', async () => {
  await db.raw('truncate accounts, intents, contracts cascade');
  await insertAccount(db);
  await query(
    db,
    `insert into intents (id, account_id, environment, kind, contract, target, calldata, operator, epoch, status)
     select gen_random_uuid(), a.id, 'live', 'mint', c.contract, c.contract, '', c.contract, 1,
            case when n = 7 then 'quarantined' else 'queued' end
       from accounts a, generate_series(1, 3000) n,
            lateral (select decode(lpad(to_hex(n % 700), 40, '0'), 'hex') as contract) c`,
  );
  const sizes: number[] = [];
  const measure = (_response: unknown, { response }: { response?: { rowCount: number | null } }): void => {
    sizes.push(response?.rowCount ?? 0);
  };
  db.on('query-response', measure);
  await acceptGap(db, CHAIN);
  db.off('query-response', measure);
  expect(Math.max(...sizes)).toBe(1_000);
  expect(await query(db, 'select found_done, count(*)::int from intents group by 1')).toEqual([
    { found_done: true, count: 3_000 },
  ]);
});

test('what has no verdict when a gap is accepted is said to be maybe done, which is verified before it is sent', async () => {
  await db.raw('truncate accounts, intents, contracts cascade');
  await insertAccount(db);
  const { id } = await queueIntent(db, OPERATOR);
  await acceptGap(db, CHAIN);
  await takeLane(db, LEVEL, { holder: 'two', leaseMs: 60_000, onChain: { nonce: 5n, isHeld: true } });
  using rpc = createRpc(['http://127.0.0.1:1']);
  expect(await explainIntent({ db, rpc, maxInFlight: 4, askChain: false }, id)).toMatchObject({
    cause: 'It may be done already, in a transaction that is not found; that is verified before it is sent.',
    action: expect.stringContaining(`intents resolve ${id}`),
  });
});

const [FINAL, NEWEST] = [
  { number: 1n, hash: `0x${'f1'.repeat(32)}` },
  { number: 2n, hash: `0x${'f2'.repeat(32)}` },
] as const;
const FORGOTTEN = new RpcRefused('unavailable', 'missing trie node', undefined, undefined);

const LIMITED = new RpcRefused('limited', 'too many requests', undefined, undefined);

const COUNTS: [string, Record<Hex, Hex>, string, RpcRefused?][] = [
  ['are used in no final block', { [FINAL.hash]: '0x8', [NEWEST.hash]: '0x9' }, 'queued'],
  ['are used in a final block', { [FINAL.hash]: '0x9' }, 'failed'],
  ['are used, and the state of the final block is forgotten', { [NEWEST.hash]: '0x9' }, 'failed'],
  ['are not used, and the state of the final block is forgotten', { [NEWEST.hash]: '0x8' }, 'queued'],
  ['are used, and nobody says whether in a final block', { [NEWEST.hash]: '0x9' }, 'queued', LIMITED],
  ['cannot be counted', {}, 'queued'],
];

test.each(COUNTS)(
  'what has no verdict when a gap is accepted, and reverts, while the nonces of lost bytes %s',
  async (_name, counts, status, refusal = FORGOTTEN) => {
    await db.raw('truncate accounts, intents, contracts cascade');
    await insertAccount(db);
    const { number } = await queueIntent(db, OPERATOR);
    await acceptGap(db, CHAIN);
    const taken = await takeLane(db, LEVEL, {
      ...{ holder: 'two', leaseMs: 60_000 },
      onChain: { nonce: 5n, isHeld: true },
    });
    const rpc = {
      call: async <Result>(_method: string, [signer, block]: readonly unknown[]): Promise<Result> => {
        const count = counts[(block as { blockHash: Hex }).blockHash];
        if (!count) throw refusal;
        // No pool has shown those of this one.
        return (signer === LEVEL ? count : '0xc') as Result;
      },
    };
    const lane = openLane(createLaneParts(db, LEVEL, { config: LANE_CONFIG, rpc }), taken!);
    const error = { code: 'CHAIN_ERROR', message: 'broken' } as const;
    const isFailed = await failInTurn(
      lane,
      { final: FINAL, head: NEWEST },
      { number, error, transactionHash: null },
    );
    expect(isFailed).toBe(status === 'failed');
    expect(await query(db, 'select status from intents')).toEqual([{ status }]);
  },
);
