import { setTimeout as sleep } from 'node:timers/promises';
import { POOR_SIGNER, SIGNERS, grant, revoke, sendAsAdmin, startExecution, stopExecution } from '../admin.ts';
import type { ChainModel } from '../chain.ts';
import { cutOf, nodeOf } from './fault.ts';
import type { FaultParts, Make } from './fault.ts';
import type { Hex } from '../../../src/lib/hex.ts';
import type { World } from '../world.ts';

/** Of `lab/simulation/profile.json`. */
const FINAL = 3;

/** What it took back is in the pool again at once, or each transaction some blocks later. */
const reorganize =
  (depth: (which: number) => number): Make =>
  ({ world, which, random }) => {
    const isLate = random.chance(0.5);
    const lateness = (): number => (isLate ? random.whole(0, 2 * depth(which)) : 0);
    return world.atomically(() => world.chain.reorganize(depth(which), { lateness }));
  };

/** For a time an endpoint, or a part of its requests, is served by a node on another fork. */
async function serveFrom(parts: FaultParts, chain: ChainModel, part: number): Promise<void> {
  const node = nodeOf(parts);
  const backend = { chain, newest: () => null, part };
  parts.window.cuts = [cutOf(node.url, false)];
  parts.window.allows = [{ code: 'OTHER_FORK' }];
  node.strays.add(backend);
  await sleep(parts.lastMs);
  node.strays.delete(backend);
}

/** @param own how many blocks it makes that nobody else has, from so many below the head on */
async function forkOff(
  { world, random }: FaultParts,
  { below, own }: { below: number; own: number },
): Promise<ChainModel> {
  let fork: ChainModel;
  await world.atomically(async () => {
    fork = await world.fork(Math.max(1, world.chain.head - below));
    let time = Math.floor(world.scheduler.wallClock / 1_000);
    for (let block = 0; block < own; block += 1) {
      // Another second than the chain's own block has, so that it is another one.
      time += random.whole(1, 5);
      await fork.mine(time);
    }
  });
  return fork!;
}

const partOf = ({ which }: FaultParts): number => (which % 2 === 0 ? 1 : 0.5);

/** What the administrator does to the Operator, and takes back in the end. */
const interrupted =
  (
    begin: (which: number, world: World) => string,
    end: (which: number, world: World) => string | null,
  ): Make =>
  async ({ world, which, lastMs, window }) => {
    window.cuts = [cutOf(null, false)];
    await sendAsAdmin(world, [{ to: world.operator, data: begin(which, world) }]);
    await sleep(lastMs);
    const last = end(which, world);
    if (last !== null) await sendAsAdmin(world, [{ to: world.operator, data: last }]);
  };

/** The answers of a service without a signer that can pay. */
const UNPAID = ['DEPLOY_UNAVAILABLE', 'CHAIN_ERROR'].map((code) => ({
  code,
  says: 'No signer of this service can pay for gas',
}));

const signerOf = (which: number): string => SIGNERS[which % 2]!.address;

/** Not deeper than final. */
export const shallowReorg = reorganize((which) => 1 + (which % FINAL));

export const CHAIN_FAULTS = {
  reorg: shallowReorg,
  'deep reorg': reorganize((which) => FINAL + 1 + (which % (2 * FINAL))),
  'base fee': async ({ world, which }) => world.chain.jumpBaseFee(2 + (which % 20)),
  'base fee held': async ({ world, which, lastMs, window }) => {
    // The service may bid that, and more.
    window.holdsUp = false;
    const end = world.chain.holdBaseFee(10 * (1 + (which % 10)));
    await sleep(lastMs);
    end();
  },
  'halted chain': async ({ world, lastMs, window }) => {
    window.cuts = [cutOf(null, false)];
    world.chain.isHalted = true;
    await sleep(lastMs);
    world.chain.isHalted = false;
  },
  'small blocks': async ({ world, which, lastMs, window }) => {
    window.cuts = [cutOf(null, false)];
    // A batch that wants more than a whole block has is not kept for a larger one.
    window.allows = [{ code: 'CHAIN_ERROR', says: 'InsufficientReceiverGas', operation: 'mintNftBatch' }];
    world.chain.limitGas(BigInt(1_000_000 + 1_000 * which));
    await sleep(lastMs);
    world.chain.limitGas(null);
  },
  'pool forgets': async ({ world }) => world.chain.forgetPool(),
  'pool loses': async ({ world, lastMs, random, window }) => {
    window.cuts = [cutOf(null, false)];
    world.chain.loses = () => random.chance(0.5);
    await sleep(lastMs);
    world.chain.loses = () => false;
  },
  'stale fork': async (parts) => {
    const fork = await forkOff(parts, { below: 0, own: 0 });
    await shallowReorg(parts);
    await serveFrom(parts, fork, partOf(parts));
  },
  'own fork': async (parts) => {
    const below = parts.which % (FINAL + 2);
    const own = below + parts.random.whole(-1, 2);
    await serveFrom(parts, await forkOff(parts, { below, own: Math.max(1, own) }), partOf(parts));
  },
  'wrong fork, halted chain': async (parts) => {
    const { chain } = parts.world;
    chain.isHalted = true;
    await serveFrom(parts, await forkOff(parts, { below: FINAL + 1, own: FINAL + 2 }), 1);
    chain.isHalted = false;
    parts.window.cuts = [cutOf(null, false)];
  },
  'stopped Operator': interrupted(stopExecution, startExecution),
  'revoked role': interrupted(
    (which, { operator }) => revoke(operator, signerOf(which)),
    (which, { lostKeys, operator }) =>
      lostKeys.has(signerOf(which).toLowerCase() as Hex) ? null : grant(operator, signerOf(which)),
  ),
  // The engine has that signer from its start on, when there is such a fault.
  'signer without funds': async ({ world, processes, window }) => {
    window.cuts = [cutOf(null, false)];
    window.from = 0;
    const isAlone = processes.every(({ settings }) => settings.signers.every((each) => each === POOR_SIGNER));
    if (isAlone) window.allows = UNPAID;
    await sendAsAdmin(world, [{ to: POOR_SIGNER.address, value: 10n ** 20n }]);
  },
} satisfies Record<string, Make>;
