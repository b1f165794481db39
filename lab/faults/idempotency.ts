import { randomUUID } from 'node:crypto';
import { inParallel } from '../load/load.ts';
import { requestMint } from '../stage/tokens.ts';
import type { TestAnswer } from '../stage/tokens.ts';
import type { Fault } from './outcome.ts';
import { judgeStage, prepare, withAnvil } from './stage.ts';

const RACERS = 50;
/** Requests at a time: of eight keys all racers at once. */
const WIDTH = 400;

/** All of an answer that a replay must repeat. */
const essence = ({ status, body, intentId, headers }: TestAnswer): string =>
  JSON.stringify({ status, body, intentId, transaction: headers.get('Transaction-Hash') });

/** Concurrent requests under the same keys; then other requests under used keys. */
export const idempotency: Fault = ({ scaled }) =>
  withAnvil(async (anvil) => {
    const stage = await prepare(anvil.url);
    const targetOf = (index: number) => stage.targets[index % stage.targets.length]!;
    const keys = Array.from({ length: scaled(200) }, () => randomUUID());
    const answers = new Map<string, Set<string>>(keys.map((key) => [key, new Set()]));
    await inParallel(keys.length * RACERS, WIDTH, async (index) => {
      const place = Math.floor(index / RACERS);
      const { account, address } = targetOf(place);
      const answer = await requestMint(account, address, { key: keys[place]!, amount: String(place + 1) });
      answers.get(keys[place]!)!.add(essence(answer));
      if (answer.intentId) stage.log.acknowledged.add(answer.intentId);
    });
    const effects = stage.log.acknowledged.size;
    const differing = [...answers.values()].filter(({ size }) => size !== 1).length;
    const statuses: Record<number, number> = {};
    await inParallel(scaled(1_000), WIDTH, async (index) => {
      const place = index % keys.length;
      const { account, address } = targetOf(place);
      const { status } = await requestMint(account, address, {
        key: keys[place]!,
        amount: String(place + keys.length + 1),
      });
      statuses[status] = (statuses[status] ?? 0) + 1;
      stage.log.refused.push(status);
    });
    const judgement = await judgeStage(stage);
    await stage.mintmark.stop();
    const mints = judgement.confirmed - stage.targets.length;
    const refused = statuses[422] ?? 0;
    return {
      made: `${keys.length} keys, ${RACERS} racers, ${stage.log.refused.length} other requests`,
      judgement,
      note: `${mints} effects, ${refused} times 422`,
      flaws: [
        ...(mints === keys.length && effects === keys.length
          ? []
          : [`${mints} effects of ${keys.length} keys`]),
        ...(differing === 0 ? [] : [`${differing} keys with answers that differ`]),
        ...(refused === stage.log.refused.length
          ? []
          : [`answers to mismatches: ${JSON.stringify(statuses)}`]),
      ],
    };
  });
