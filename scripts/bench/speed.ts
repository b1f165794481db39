import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { JsonRpcProvider } from 'ethers';
import { localSystem } from '../../lab/stage/system.ts';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { inParallel } from '../../lab/load/load.ts';
import { administer, databaseUrl } from '../../lab/stage/template.ts';
import { median, openAgent, post } from '../../lab/load/http.ts';
import { startAnvilNode, startHardhat } from './nodes.ts';
import type { BenchNode } from './nodes.ts';
import { startOwn } from './own.ts';
import { deployOwnTokens, preSign, sendRaw } from './raw.ts';
import type { RawWay } from './raw.ts';
import { SPEED_COLUMNS, measureScenario, report, scenariosAt, three, warmUp } from './scenario.ts';
import type { SpeedRow } from './scenario.ts';
import type { Settings } from './settings.ts';
import { say } from '../lib/say.ts';
import { renderTable } from './table.ts';

const dash = {
  answer: '–',
  confirmation: '–',
  rpcCalls: '–',
  roundTrips: '–',
  gas: '–',
  cpu: '–',
  memory: '–',
};
async function measureRaw(
  node: BenchNode,
  databaseUrl: string,
  { scale, runs }: Settings,
): Promise<SpeedRow[]> {
  const rows: SpeedRow[] = [];
  const own = await startOwn(databaseUrl, node.url, 0);
  await own.stop();
  const minters = await deployOwnTokens(node.url, localSystem(embeddedAccounts[0].address));
  for (const way of ['one after the other', 'in parallel', 'JSON-RPC batches of 100'] as RawWay[]) {
    // One at a time waits for nothing but the node's answer; with 1 s blocks the pool takes them all the same.
    const each = Math.ceil((3_000 * scale) / minters.length);
    const results: SpeedRow[] = [];
    for (let run = 0; run < runs; run += 1) {
      const signed = await preSign(node.url, minters, each);
      const seconds = await sendRaw(node.url, minters, signed, way);
      const mints = each * minters.length;
      results.push({
        ...dash,
        node: node.name,
        way: `pre-signed, ${way}`,
        mints,
        perSecond: Math.round(mints / seconds),
      });
    }
    rows.push(report(median(results)));
  }
  return rows;
}

async function measurePlain(node: BenchNode, { scale }: Settings): Promise<SpeedRow[]> {
  const [minter] = await deployOwnTokens(node.url, localSystem(embeddedAccounts[0].address));
  const script = path.join(import.meta.dirname, 'plain-service.ts');
  const child = spawn(process.execPath, [script, node.url, minter!.wallet.privateKey, minter!.token], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const url = `http://127.0.0.1:${/port (\d+)/.exec(line.toString())?.[1]}/mint`;
  const mints = Math.ceil(1_000 * scale);
  const agent = openAgent(100);
  const provider = new JsonRpcProvider(node.url, undefined, { staticNetwork: true });
  const first = await provider.getTransactionCount(minter!.wallet.address);
  const answers: number[] = [];
  let lost = 0;
  const startedAt = performance.now();
  await inParallel(mints, 100, async () => {
    const reply = await post(agent, url, { owner: minter!.wallet.address, amount: '1' });
    if (reply.status === 202) answers.push(reply.milliseconds);
    else lost += 1;
  });
  let mined = 0;
  let finishedAt = performance.now();
  for (let idle = 0; idle < 60 && mined < mints; idle += 1) {
    const now = (await provider.getTransactionCount(minter!.wallet.address, 'latest')) - first;
    if (now > mined) {
      finishedAt = performance.now();
      idle = 0;
    }
    mined = now;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  provider.destroy();
  agent.destroy();
  child.kill('SIGKILL');
  return [
    report({
      ...dash,
      node: node.name,
      way: `Express and ethers, 100 connections${mined < mints || lost > 0 ? ` (${mints - mined} of them never mined)` : ''}`,
      mints: mined,
      perSecond: Math.round((mined * 1_000) / (finishedAt - startedAt)),
      answer: three(answers),
    }),
  ];
}

async function measureOwn(
  node: BenchNode,
  databaseUrl: string,
  { scale, runs }: Settings,
): Promise<SpeedRow[]> {
  const rows: SpeedRow[] = [];
  const own = await startOwn(databaseUrl, node.url, 20);
  await warmUp(own);
  for (const scenario of scenariosAt(scale)) {
    const results: SpeedRow[] = [];
    for (let run = 0; run < runs; run += 1) {
      results.push(await measureScenario(own, node, 'Mintmark', scenario));
    }
    rows.push(report(median(results)));
  }
  await own.stop();
  return rows;
}

/** ERC-20 mints in three ways against the same node with the same contract. */
export async function measureSpeed(settings: Settings): Promise<string> {
  const rows: SpeedRow[] = [];
  for (const [index, start] of [startHardhat, startAnvilNode].entries()) {
    const [raw, own] = [`raw_${index}`, `own_${index}`];
    for (const name of [raw, own]) await administer(settings.postgresUrl, `create database ${name}`);
    const node = await start();
    say(node.name);
    rows.push(...(await measureRaw(node, databaseUrl(settings.postgresUrl, raw), settings)));
    rows.push(...(await measurePlain(node, settings)));
    await node.stop();
    const fresh = await start();
    rows.push(...(await measureOwn(fresh, databaseUrl(settings.postgresUrl, own), settings)));
    await fresh.stop();
  }
  return `ERC-20, existing holders.\n\n${renderTable(SPEED_COLUMNS, rows)}`;
}
