import { setTimeout as sleep } from 'node:timers/promises';
import { administer, databaseUrl } from '../../lab/stage/template.ts';
import { openAgent, post } from '../../lab/load/http.ts';
import { startAnvilNode } from './nodes.ts';
import { readMetrics, startOwn } from './own.ts';
import { residentMemory } from './process.ts';
import type { Settings } from './settings.ts';
import { say } from '../lib/say.ts';
import { renderTable } from './table.ts';

/** Requests a second; steady, and far from the limit. */
const RATE = 200;
/** Each with an account of its own: half an hour takes more than the largest plan grants a few of them. */
const CLIENTS = 50;
const SAMPLES = 10;
const MIB = 1_048_576;

interface Sample {
  minute: number;
  mints: number;
  memory: number;
  /** Least JavaScript heap in use since the sample before: about what is left after a collection. */
  heap: number;
}

/** Memory of the service under a steady load over a long time. */
export async function measureSoak({ postgresUrl, minutes }: Settings): Promise<string> {
  await administer(postgresUrl, 'create database soak');
  const node = await startAnvilNode();
  const own = await startOwn(databaseUrl(postgresUrl, 'soak'), node.url, CLIENTS);
  const agent = openAgent(CLIENTS);
  let mints = 0;
  let isOver = false;
  const client = async (index: number): Promise<void> => {
    const { token, address } = own.tokens[index]!;
    const headers = { Authorization: `Bearer ${token}`, Prefer: 'respond-async' };
    const body = { owner: '0x3440326f551B8A7ee198cEE35cb5D517f2d296a2', amount: '1' };
    while (!isOver) {
      const next = sleep((CLIENTS * 1_000) / RATE);
      const reply = await post(agent, `${own.url}/tokens/${address}/mint`, body, headers);
      if (reply.status !== 202) throw new Error(`${reply.status} ${reply.body}`);
      mints += 1;
      await next;
    }
  };
  const clients = Promise.all(Array.from({ length: CLIENTS }, (_, index) => client(index)));
  const samples: Sample[] = [];
  let heap = Infinity;
  const watch = setInterval(() => {
    readMetrics(own.url).then(
      (figure) => (heap = Math.min(heap, Math.round(figure('nodejs_heap_size_used_bytes') / MIB))),
      () => undefined,
    );
  }, 2_000);
  for (let sample = 1; sample <= SAMPLES; sample += 1) {
    await Promise.race([sleep((minutes * 60_000) / SAMPLES), clients]);
    const minute = (minutes * sample) / SAMPLES;
    const memory = await residentMemory(own.pid);
    samples.push({ minute, mints, memory, heap });
    heap = Infinity;
    say(`  ${minute} min: ${memory} MiB after ${mints} mints`);
  }
  clearInterval(watch);
  isOver = true;
  await clients;
  agent.destroy();
  await own.stop();
  await node.stop();
  return `anvil, 1 s blocks; ${RATE} asynchronous mints a second at ${CLIENTS} connections.\n\n${renderTable(
    [
      ['Minute', (row) => row.minute],
      ['Mints so far', (row) => row.mints],
      ['Resident memory of the service, MiB', (row) => row.memory],
      ['Least JavaScript heap in use, MiB', (row) => row.heap],
    ],
    samples,
  )}`;
}
