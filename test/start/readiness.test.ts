import { expect, test } from '@jest/globals';
import { RpcUnreachable } from '../../src/chain/rpc/rpc.ts';
import type { Backlog } from '../../src/engine/index.ts';
import { createReadiness } from '../../src/start/readiness.ts';
import { refusal, send, serve } from '../../lab/stage/serve.ts';
import { installMonotonicClock } from '../setup/monotonic-clock.ts';

const inOrder: Backlog = {
  funded: true,
  stalledMs: 0,
  unreadMs: 0,
  headAgeMs: 0,
  paused: [],
  nothingNew: false,
  deepReorg: 'none',
  closed: 'no',
};
const SIGNER = `0x${'0a'.repeat(20)}` as const;
const OPERATOR = `0x${'0a'.repeat(20)}` as const;

const readinessOf = ({
  backlog = async () => inOrder,
  chainId = async () => '0x7a69',
  refusal = null,
  failedWrite = null,
  otherChain = null,
  logged = [],
}: {
  backlog?: () => Promise<Backlog>;
  chainId?: () => Promise<unknown>;
  refusal?: string | null;
  failedWrite?: string | null;
  otherChain?: string | null;
  /** What is logged. */
  logged?: string[];
}) =>
  createReadiness({
    rpc: { call: async <Result>() => (await chainId()) as Result, otherChain: () => otherChain },
    log: { error: (sentence: string) => void logged.push(sentence) },
    engine: { backlog },
    database: { check: async () => undefined, refusal: () => refusal, failedWrite: () => failedWrite },
    maxStallMs: 60_000,
  });

test('GET /ready returns the reasons, GET /health stays 200', async () => {
  let reasons = ['The chain does not answer.', 'No signer can pay for gas.'];
  await using service = await serve({ readiness: async () => reasons });
  expect(await send(service, 'GET /ready')).toMatchObject({
    status: 503,
    body: refusal('NOT_READY', 'The chain does not answer. No signer can pay for gas.'),
  });
  expect(await send(service, 'GET /health')).toMatchObject({ status: 200, body: { ok: true } });
  reasons = [];
  expect(await send(service, 'GET /ready')).toMatchObject({ status: 200, body: { ready: true } });
});

test.each([
  ['everything in order', {}, []],
  [
    'the database down',
    { backlog: () => Promise.reject(new Error('gone')) },
    ['The database does not answer.'],
  ],
  [
    'a database that was refused',
    { backlog: () => Promise.reject(new Error('refused')), refusal: 'The database is read-only.' },
    ['The database is read-only.'],
  ],
  [
    'a database whose disk is full',
    { failedWrite: 'The disk of the database is full.' },
    ['The disk of the database is full.'],
  ],
  [
    'the chain down',
    { chainId: () => Promise.reject(new RpcUnreachable('gone')) },
    ['The chain does not answer.'],
  ],
  [
    'another chain, whose blocks are none of those that were final',
    {
      chainId: () => Promise.reject(new RpcUnreachable('another one')),
      otherChain: 'The database belongs to another chain',
      backlog: async () => ({ ...inOrder, deepReorg: 'needs-person' as const }),
    },
    ['The database belongs to another chain.'],
  ],
  [
    'a chain that nobody reads though transactions wait',
    { backlog: async () => ({ ...inOrder, unreadMs: 31_000 }) },
    ['Nobody has read the chain for 31 seconds, though writes wait for it.'],
  ],
  [
    'a reorg that is deeper than final',
    { backlog: async () => ({ ...inOrder, deepReorg: 'waiting' as const }) },
    [
      'The chain lacks blocks that were final; no verdict is given until it is certain which of them are gone.',
    ],
  ],
  [
    'a reorg that needs a person',
    { backlog: async () => ({ ...inOrder, deepReorg: 'needs-person' as const }) },
    [expect.stringContaining('recover --accept-reorg')],
  ],
  [
    'an epoch that is about to begin',
    { backlog: async () => ({ ...inOrder, closed: 'epoch-pending' as const }) },
    [expect.stringContaining('A new epoch is about to begin')],
  ],
  [
    'a server that may lack commits',
    { backlog: async () => ({ ...inOrder, closed: 'suspect' as const }) },
    [expect.stringContaining('No writes are accepted until the engine has seen that nothing is missing')],
  ],
  ['no funds', { backlog: async () => ({ ...inOrder, funded: false }) }, ['No signer can pay for gas.']],
  [
    'a lane that stands still',
    { backlog: async () => ({ ...inOrder, stalledMs: 61_000 }) },
    ['Nothing was sent, mined or settled for 61 seconds, though writes wait for it.'],
  ],
  [
    'the current Operator stopped',
    {
      backlog: async () => ({
        ...inOrder,
        nothingNew: true,
        paused: [{ signer: SIGNER, operator: OPERATOR, reason: 'stopped' as const }],
      }),
    },
    [
      `A guardian or the admin has stopped the execution of the Operator ${OPERATOR}. Let one of them run "execution start"; the service goes on by itself.`,
    ],
  ],
  [
    'the only signer no executor any more',
    {
      backlog: async () => ({
        ...inOrder,
        nothingNew: true,
        paused: [{ signer: SIGNER, operator: OPERATOR, reason: 'no-role' as const }],
      }),
    },
    [
      `The signer ${SIGNER} is not an executor of the Operator ${OPERATOR}. Run "signers grant ${SIGNER}", or move on to another signer with "signers rotate".`,
    ],
  ],
  [
    'a former Operator stopped',
    {
      backlog: async () => ({
        ...inOrder,
        paused: [{ signer: SIGNER, operator: OPERATOR, reason: 'stopped' as const }],
      }),
    },
    [],
  ],
])('reports the right reasons with %s', async (_name, parts, reasons) => {
  expect(await readinessOf(parts)()).toEqual(reasons);
});

test('a chain that is another one is logged once', async () => {
  using clock = installMonotonicClock();
  const logged: string[] = [];
  const readiness = readinessOf({ otherChain: 'The database belongs to another chain', logged });
  expect(await readiness()).toEqual(['The database belongs to another chain.']);
  clock.advance(2_000);
  await readiness();
  expect(logged).toEqual(['The database belongs to another chain']);
});

test('a chain that hangs counts as down, and concurrent requests share one check', async () => {
  let looks = 0;
  const readiness = readinessOf({
    backlog: async () => inOrder,
    chainId: () => {
      looks += 1;
      return new Promise(() => undefined);
    },
  });
  const answers = await Promise.all(Array.from({ length: 50 }, readiness));
  expect(answers.every(([reason]) => reason === 'The chain does not answer.')).toBe(true);
  expect(looks).toBe(1);
});
