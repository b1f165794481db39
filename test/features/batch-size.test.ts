import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { startStand } from '../setup/stand.ts';
import type { Stand } from '../setup/stand.ts';
import { createCollection, requestBatch, sessionOf } from '../../lab/stage/collections.ts';
import type { TestAccount } from '../../lab/stage/service.ts';
import { RECIPIENT } from '../../lab/stage/tokens.ts';

type Session = ReturnType<typeof sessionOf>;

/** An account with a collection. */
interface Minter {
  session: Session;
  address: string;
}

/** About 1,900,000 gas to mint. */
const HEAVY = {
  to: RECIPIENT,
  metadata: {
    name: 'Heavy',
    description: 'x'.repeat(2_000),
    attributes: Object.fromEntries(Array.from({ length: 6 }, (_, index) => [`k${index}`, 'y'.repeat(1_000)])),
  },
};
const heavy = (items: number) => Array.from({ length: items }, () => HEAVY);
const light = (items: number) => Array.from({ length: items }, () => ({ to: RECIPIENT }));
/** So many do not fit in a transaction. */
const TOO_MANY = 9;
/** Nearly as many as fit: the chain is asked. */
const MANY = 7;

let stand: Stand;
/** Contracts of the batches that are measured now, and were at all. */
let running: string[];
let measured: string[];
/** What each measurement waits for. */
let gate: Promise<void>;

beforeAll(async () => {
  stand = await startStand({});
  stand.proxy.endpoint.layers.unshift(async (request, forward) => {
    const contract = contractOf(request);
    if (contract === null) return forward(request);
    running.push(contract);
    measured.push(contract);
    await gate;
    const answer = await forward(request);
    running.splice(running.indexOf(contract), 1);
    return answer;
  });
});

afterEach(() => {
  expect(running).toEqual([]);
});

afterAll(() => stand.stop());

/** The contract of a batch that is measured, with all the gas of a transaction; null for every other call. */
function contractOf({ method, params }: { method: string; params: unknown[] }): string | null {
  if (method !== 'eth_call') return null;
  const { data = '', gas } = params[0] as { data?: string; gas?: string };
  return gas === '0x1000000' && data.length > 50_000 ? data.slice(2 + 8 + 64 * 4 + 24).slice(0, 40) : null;
}

async function startMinter(): Promise<Minter & { account: TestAccount }> {
  const account = await stand.mintmark.register();
  const session = sessionOf(stand.mintmark, account);
  const address = await createCollection(session);
  running = [];
  measured = [];
  gate = Promise.resolve();
  return { account, session, address };
}

describe('a batch that may be too large for a transaction', () => {
  test('is measured in the turn of its account, beside those of other accounts', async () => {
    const [one, other] = [await startMinter(), await startMinter()];
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    const answers = [one, one, one, other].map(({ session, address }) =>
      requestBatch(session, address, heavy(TOO_MANY)),
    );
    while (running.length < 2) await new Promise((next) => setTimeout(next, 10));
    // Time for more to come, if more came.
    await new Promise((next) => setTimeout(next, 500));
    expect(new Set(running).size).toBe(2);
    expect(running).toHaveLength(2);
    resolve();
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([422, 422, 422, 422]);
    expect(measured).toHaveLength(4);
  });

  test('is not measured when the credits do not suffice', async () => {
    const { session, address } = await startMinter();
    expect(await requestBatch(session, address, light(90))).toMatchObject({ status: 201 });
    expect(await requestBatch(session, address, heavy(TOO_MANY))).toMatchObject({
      status: 403,
      body: { code: 'QUOTA_EXCEEDED', message: expect.stringContaining('credits of plan BASIC') },
    });
    expect(measured).toEqual([]);
  });

  test('is not measured again when it is repeated, and has its answer though the credits are used up', async () => {
    const { session, address } = await startMinter();
    const post = () =>
      session.POST('/v1/collections/{address}/mint/batch', {
        params: { path: { address }, header: { 'Idempotency-Key': 'once' } },
        body: { items: heavy(MANY) },
      });
    const first = await post();
    expect(first.response.status).toBe(201);
    expect(await requestBatch(session, address, light(88))).toMatchObject({ status: 201 });
    const again = await post();
    expect({ status: again.response.status, data: again.data }).toEqual({ status: 201, data: first.data });
    expect(measured).toHaveLength(1);
  });
});
