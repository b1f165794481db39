import type { Layer } from '../../lab/proxies/rpc/endpoint.ts';
import { ONE_ADDRESS, headOf } from './attacker.ts';
import { measureFlood, profileOf } from './others.ts';
import type { Attack } from './outcome.ts';
import { checkStatuses, deploy, quiet, showStatuses, withStage } from './stage.ts';

const MB = 1_000_000;

/** The contract of the API, again and again, by one address without a credential. */
export const contractReads: Attack = () =>
  withStage({}, async (stage) => {
    const [connections, forMs, maxMegabytes] = [50, 10_000, 350];
    const other = await stage.register();
    const head = headOf('GET /openapi.yaml', { from: ONE_ADDRESS });
    const flood = { connections, forMs, head, body: '' };
    const measured = await measureFlood(stage, profileOf(stage, other), flood);
    const { figure, flaws, result } = measured;
    return {
      made: `${connections} connections of one address: ${showStatuses(result.statuses)}`,
      figures: [
        {
          what: `sent in ${forMs / 1_000} s, MB`,
          ...{ before: null, during: result.receivedBytes / MB, bound: maxMegabytes },
        },
        figure,
      ],
      flaws: [...flaws, ...checkStatuses(result.statuses, [200, 429, 'none', 'open'])],
    };
  });

/** What hands calls on to the node, and counts the views that are asked for. */
function createCount() {
  const views = { asked: 0 };
  const layer: Layer = async (request, forward) => {
    if (request.method === 'eth_call') views.asked += 1;
    return await forward(request);
  };
  return { views, layer };
}

/** The metadata of NFTs that nobody has minted, each of another id, by one address without a credential. */
export const unmintedTokens: Attack = () => {
  const { views, layer } = createCount();
  return withStage({ layer }, async (stage) => {
    const [ids, perSecond, forMs] = [2_000, 10, 10_000];
    const own = await stage.register();
    const token = await deploy(stage, own, 'ERC721');
    await quiet(stage);
    const before = views.asked;
    const startedAt = performance.now();
    const statuses: Record<string, number> = {};
    let asked = 0;
    while (asked < ids && performance.now() - startedAt < forMs) {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          fetch(`${stage.url}/tokenURI/${token}/${1_000 + asked + index}`, {
            headers: { 'X-Forwarded-For': ONE_ADDRESS },
          }),
        ),
      );
      for (const answer of answers) {
        await answer.arrayBuffer();
        statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
      }
      asked += answers.length;
    }
    const seconds = (performance.now() - startedAt) / 1_000;
    return {
      made: `${asked} ids in ${seconds.toFixed(1)} s: ${showStatuses(statuses)}`,
      figures: [
        {
          what: 'views that the node is asked for, a second',
          before: null,
          during: (views.asked - before) / Math.max(1, seconds),
          bound: perSecond,
        },
      ],
      flaws: checkStatuses(statuses, [422, 429]),
    };
  });
};
