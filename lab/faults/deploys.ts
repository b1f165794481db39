import { randomUUID } from 'node:crypto';
import { Interface } from 'ethers';
import { tokenFactoryAbi } from '../../generated/contracts.ts';
import type { Hex } from '../../src/lib/hex.ts';
import { query } from '../../src/db/client.ts';
import type { ClientLog } from './judge.ts';
import { runKills } from './kills.ts';
import { requestErc20 } from '../stage/tokens.ts';
import type { TestAccount } from '../stage/service.ts';
import { deathsOf } from './kills.ts';
import type { Fault } from './outcome.ts';
import { say } from './outcome.ts';
import { judgeStage, prepare, withAnvil, withDb } from './stage.ts';

const CREATED = new Interface(tokenFactoryAbi).getEvent('TokenCreated')!.topicHash;

/** Deploys while the service is killed: each accepted one is one contract, at the address that was predicted for it. */
export const deploys: Fault = ({ scaled, random }) =>
  withAnvil(async (anvil) => {
    const stage = await prepare(anvil.url);
    const { mintmark } = stage;
    const { tokenFactory } = mintmark.service.context.system;
    await mintmark.service.stop();
    const deaths = deathsOf(scaled(30));
    const facts = await withDb(mintmark.databaseUrl, async (db) => {
      const report = await runKills(mintmark, db, {
        deaths,
        random,
        writes: scaled(1_000),
        width: 20,
        write: (index, log, { retry }) =>
          deployOnce(stage.targets[index % stage.targets.length]!.account, log, retry),
        progress: (done) => {
          if (done % 10 === 0) say(`  ${done} of ${deaths.length} kills`);
        },
      });
      stage.log = report.log;
      const tokens = await query<{ address: Hex; status: string }>(
        db,
        'select t.address, i.status from tokens t join intents i on i.number = t.intent_number',
      );
      return { ...report, tokens };
    });
    await mintmark.restart();
    const judgement = await judgeStage(stage);
    await mintmark.stop();
    const logs = await anvil.call<{ topics: Hex[] }[]>('eth_getLogs', [
      { address: tokenFactory, topics: [CREATED], fromBlock: 'earliest' },
    ]);
    const created = new Map<Hex, number>();
    for (const { topics } of logs) {
      const address: Hex = `0x${topics[1]!.slice(26)}`;
      created.set(address, (created.get(address) ?? 0) + 1);
    }
    const predicted = new Set(facts.tokens.map(({ address }) => address));
    const missing = [...predicted].filter((address) => created.get(address) !== 1).length;
    const elsewhere = [...created.keys()].filter((address) => !predicted.has(address)).length;
    return {
      made: `${facts.writes} deploys, ${facts.kills} kills`,
      judgement,
      note: `${predicted.size} tokens, ${created.size} contracts`,
      flaws: [
        ...(missing === 0 ? [] : [`${missing} tokens not once at their predicted address`]),
        ...(elsewhere === 0 ? [] : [`${elsewhere} contracts that nobody predicted`]),
      ],
    };
  });

/** As `mintOnce`. */
async function deployOnce(account: TestAccount, log: ClientLog, retry: boolean): Promise<void> {
  const key = randomUUID();
  for (let tries = 0; tries < (retry ? 600 : 1); tries += 1) {
    try {
      const { status, intentId } = await requestErc20(account, { key, prefer: 'respond-async' });
      if (status < 300 && intentId) log.acknowledged.add(intentId);
      else log.refused.push(status);
      return;
    } catch {
      if (retry) await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  log.unknown += 1;
}
