import { setTimeout as sleep } from 'node:timers/promises';
import { embeddedAccounts } from '../../src/embedded/accounts.ts';
import { createCli } from '../stage/cli.ts';
import type { Judgement } from './judge.ts';
import { setBalance } from './node-faults.ts';
import type { Random } from '../random.ts';
import { startRpcProxy } from '../proxies/rpc-proxy.ts';
import { withholdTransactions } from '../proxies/rpc/nodes.ts';
import type { Layer } from '../proxies/rpc/endpoint.ts';
import { drawWrites, makeWrites } from '../load/writes.ts';
import type { Write } from '../load/writes.ts';
import { checkAlive, namesOf, restartWithCommand } from './alive.ts';
import type { Alive } from './alive.ts';
import { FINAL, createNetworkFault } from './network.ts';
import { addJudgements, say } from './outcome.ts';
import type { Fault } from './outcome.ts';
import { deployByAdmin, judgeStage, prepare, withAnvil } from './stage.ts';
import type { Stage } from './stage.ts';

const RICH = 10n ** 24n;
const signers = embeddedAccounts.map(({ address }) => address);

/** Some of six signers have nothing; accounts deploy and mint meanwhile. */
export const unfundedLane = createNetworkFault<{ poor: number[] }>({
  hasSigners: true,
  accounts: 8,
  worksMeanwhile: true,
  made: (rounds) => `${rounds} times 1 to 3 of ${signers.length} signers are empty`,
  plan: (random) => {
    const first = random.whole(0, signers.length - 1);
    const poor = Array.from({ length: random.whole(1, 3) }, (_, place) => (first + place) % signers.length);
    const deploys = Array.from({ length: 8 }, (_, target): Write => ({
      kind: 'deploy',
      target,
      isWaiting: false,
    }));
    return {
      writes: [...deploys, ...drawWrites(random, 16, { targets: 8, waiting: 0.2 })],
      troubles: [{ at: { write: 1 }, what: { poor } }],
    };
  },
  apply: async ({ poor }, { anvil }) => {
    for (const place of poor) await setBalance(anvil, signers[place]!, 0n);
  },
  // What a signer had sent before waits for its funds: no other lane may send it.
  end: async ({ anvil }) => {
    for (const signer of signers) await setBalance(anvil, signer, RICH);
  },
});

const ROUNDS = 20;
const QUIET_MS = 120_000;

/**
 * The first signer's transactions go nowhere, and then its key is lost: the service starts with another one. In half of
 * the rounds somebody sends the lost key's transactions again afterwards.
 */
export const lostKey: Fault = async ({ scaled, random, isShort }) => {
  const rounds = isShort ? 1 : scaled(ROUNDS);
  const flaws: string[] = [];
  const commands: string[] = [];
  const judgements: Judgement[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const lost = await loseKey(random.fork(`round ${round}`));
    judgements.push(lost.judgement);
    flaws.push(...lost.alive.flaws.map((flaw) => `round ${round + 1}: ${flaw}`));
    commands.push(...lost.alive.commands);
    say(`  ${round + 1} of ${rounds} rounds`);
  }
  return {
    made: `${rounds} times, with open transactions`,
    judgement: addJudgements(judgements),
    note: commands.length > 0 ? `needed ${namesOf(commands)}` : 'nobody had to help',
    flaws,
  };
};

const [LOST, ADMIN, OTHER] = embeddedAccounts;

/** The stage with the administrator's key at the command line; the service has it never. */
function asAdmin(stage: Stage): Stage {
  const { mintmark } = stage;
  const environment = { ...mintmark.environment, SIGNER_KEY: ADMIN.privateKey };
  return { ...stage, mintmark: { ...mintmark, environment } };
}

function loseKey(random: Random): Promise<{ judgement: Judgement; alive: Alive }> {
  const isResent = random.chance(0.5);
  return withAnvil(async (anvil) => {
    await deployByAdmin(anvil.url, { admin: ADMIN.address, signer: LOST.address });
    await using stack = new AsyncDisposableStack();
    const proxy = stack.use(await startRpcProxy({ target: anvil.url, faultFor: () => null }));
    const variables = {
      CONFIRMATIONS: String(FINAL),
      OPERATOR_ADMIN: ADMIN.address,
      WAIT_TIMEOUT_MS: '20000',
    };
    const stage = await prepare(anvil.url, { rpcUrl: proxy.url, variables });
    stack.use(stage.mintmark);
    const sent: string[] = [];
    await createCli(asAdmin(stage).mintmark.environment).say('signers', 'grant', OTHER.address);
    const keep: Layer = (request, forward) => {
      if (request.method === 'eth_sendRawTransaction') sent.push(request.params[0] as string);
      return forward(request);
    };
    const { endpoint } = proxy;
    endpoint.layers = [keep, withholdTransactions([LOST.address]), ...endpoint.layers];
    const writes = drawWrites(random, 8, { targets: stage.targets.length, waiting: 0 });
    await makeWrites(writes, stage.targets, stage.log);
    await sleep(3_000);
    await restartWithCommand(stage, { SIGNER_KEY: OTHER.privateKey });
    const alive = await checkAlive(asAdmin(stage));
    for (const raw of isResent ? sent : [])
      await anvil.call('eth_sendRawTransaction', [raw]).catch(() => undefined);
    const judgement = await judgeStage(stage, { quietMs: alive.flaws.length > 0 ? 0 : QUIET_MS });
    return { judgement, alive };
  });
}
