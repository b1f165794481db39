import type { Layer } from '../../lab/proxies/rpc/endpoint.ts';
import { headOf } from './attacker.ts';
import type { Flood } from './attacker.ts';
import { heavyMetadata } from './gas.ts';
import { measureFlood, profileOf, showWork } from './others.ts';
import type { Attack } from './outcome.ts';
import { checkStatuses, createKey, showStatuses, withStage } from './stage.ts';
import type { Caller } from './stage.ts';

const RECIPIENT = '0x3440326f551B8A7ee198cEE35cb5D517f2d296a2';
/** Items of which so many do not fit in a transaction. */
const ITEMS = 9;
/** A simulation with all the gas that a transaction may have, and calldata that only a batch has. */
const ALL_GAS = '0x1000000';
const MIN_CALLDATA = 50_000;

/** What hands calls on to the node, and counts the simulations of batches that are under way at once. */
function createCount() {
  const simulations = { most: 0, all: 0 };
  let running = 0;
  const layer: Layer = async (request, forward) => {
    const { data = '', gas } = (request.params[0] ?? {}) as { data?: string; gas?: string };
    if (request.method !== 'eth_call' || gas !== ALL_GAS || data.length < MIN_CALLDATA)
      return await forward(request);
    simulations.all += 1;
    running += 1;
    simulations.most = Math.max(simulations.most, running);
    const answer = await forward(request);
    running -= 1;
    return answer;
  };
  return { simulations, layer };
}

/** A batch of heavy items, as the attacker sends it. */
function batchOf(length: number, address: string, { token }: Caller): Pick<Flood, 'head' | 'body'> {
  const items = Array.from({ length }, (_, index) => ({ to: RECIPIENT, metadata: heavyMetadata(index) }));
  const body = JSON.stringify({ items });
  const head = headOf(`POST /v1/collections/${address}/mint/batch`, {
    bytes: Buffer.byteLength(body),
    headers: { Authorization: `Bearer ${token}` },
  });
  return { head, body };
}

/** Batches that are too large for a transaction, which only a simulation tells. */
export const batchesTooLarge: Attack = () => {
  const { simulations, layer } = createCount();
  return withStage({ layer }, async (stage) => {
    const [connections, forMs] = [60, 15_000];
    const [other, own] = [await stage.register(), await stage.register()];
    const key = (await createKey(stage, own))!;
    const { status, body } = await stage.ask(own, 'POST', '/v1/collections', { name: 'Art', symbol: 'A' });
    if (status !== 201) throw new Error(`a collection was answered ${status}: ${JSON.stringify(body)}`);
    const { address } = body as { address: string };
    const flood = { connections, forMs, ...batchOf(ITEMS, address, key) };
    const measured = await measureFlood(stage, profileOf(stage, other), flood);
    const { figure, flaws, result, cpuSeconds } = measured;
    return {
      made: `${connections} connections, ${ITEMS} items of 8 KB: ${showStatuses(result.statuses)}; ${simulations.all} simulations; ${showWork(cpuSeconds, forMs)}`,
      figures: [
        {
          what: 'simulations at a time',
          ...{ before: null, during: simulations.all > 0 ? simulations.most : NaN, bound: 1 },
        },
        figure,
      ],
      flaws: [...flaws, ...checkStatuses(result.statuses, [422, 429, 'none', 'open'])],
    };
  });
};

/** As many items as a batch may have, of 9 KB each: more than a transaction can carry. */
const MANY_ITEMS = 100;

/** Batches that are too large for a transaction, which their bytes alone tell. */
export const refusedBatches: Attack = () =>
  withStage({}, async (stage) => {
    const [connections, forMs] = [20, 10_000];
    const [other, own] = [await stage.register(), await stage.register()];
    const key = (await createKey(stage, own, 'sandbox'))!;
    const { body } = await stage.ask(key, 'POST', '/v1/collections', { name: 'Art', symbol: 'A' });
    const { address } = body as { address: string };
    const flood = { connections, forMs, ...batchOf(MANY_ITEMS, address, key) };
    const measured = await measureFlood(stage, profileOf(stage, other), flood);
    const { figure, flaws, result, cpuSeconds } = measured;
    return {
      made: `${connections} connections, ${Math.round(flood.body.length / 1_000)} KB each: ${showStatuses(result.statuses)}; ${showWork(cpuSeconds, forMs)}`,
      figures: [figure],
      flaws: [...flaws, ...checkStatuses(result.statuses, [422, 429, 'none', 'open'])],
    };
  });
