import { setTimeout as sleep } from 'node:timers/promises';
import { formatEther } from 'ethers';
import { presentAddress } from '../chain/address.ts';
import { encodeGrant, encodeRevocation, isExecutor } from '../chain/system/roles.ts';
import type { Hex } from '../lib/hex.ts';
import { findLanes, retireLane, reviveLane } from '../engine/index.ts';
import type { LaneState } from '../engine/index.ts';
import { administer, describe } from './operator.ts';
import type { Administered } from './operator.ts';
import type { Premises } from './open.ts';
import { list } from './report.ts';
import type { Report } from './report.ts';

/** Every signer that is configured here, or has a lane. */
export async function signersStatus(premises: Premises): Promise<Report> {
  const { rpc, operator } = await premises.chain();
  const lanes = new Map((await findLanes(premises.db)).map((lane) => [lane.signer, lane]));
  const configured = await configuredSigners(premises);
  const addresses = [...new Set([...configured, ...lanes.keys()])];
  const rows = await Promise.all(
    addresses.map(async (address) => {
      const [executor, balance, nonce] = await Promise.all([
        isExecutor(rpc, operator, address),
        rpc.call<Hex>('eth_getBalance', [address, 'latest']),
        rpc.call<Hex>('eth_getTransactionCount', [address, 'latest']),
      ]);
      const lane = lanes.get(address);
      return {
        address: presentAddress(address),
        configured: configured.includes(address),
        executor,
        balance: BigInt(balance),
        nonceOnChain: Number(nonce),
        lane: lane ? presentLane(lane) : null,
      };
    }),
  );
  const texts = rows.map(({ address, configured: here, executor, balance, nonceOnChain, lane }) =>
    list([
      ['signer', address],
      ['key is here', here],
      ['executor', executor],
      ['balance', `${formatEther(balance)} ether`],
      ['nonce on chain', nonceOnChain],
      ['nonce in lane', lane?.nextNonce ?? null],
      ['lane', stateOf(lane)],
      ['held by', lane?.isHeld ? lane.holder : null],
      ['until', lane?.isHeld ? lane.leaseUntil : null],
      ['open', lane ? `${lane.openTransactions} transactions` : null],
      ['not settled', lane ? `${lane.unsettledTransactions} transactions` : null],
      ['contracts', lane?.contracts ?? null],
    ]),
  );
  return { json: rows, text: texts.join('\n\n') || 'There is no signer yet: start the service with one.' };
}

const presentLane = ({
  nextNonce,
  holder,
  leaseUntil,
  isHeld,
  funded,
  retiring,
  open,
  mined,
  contracts,
}: LaneState) => ({
  nextNonce: Number(nextNonce),
  holder,
  leaseUntil,
  isHeld,
  funded,
  retiring,
  openTransactions: open,
  unsettledTransactions: mined,
  contracts,
});

function stateOf(lane: ReturnType<typeof presentLane> | null): string {
  if (!lane) return 'never ran';
  if (lane.retiring) return 'retiring';
  if (!lane.isHeld) return 'nobody holds it';
  return lane.funded ? 'runs' : 'out of funds';
}

/** Those whose keys send the service's transactions: on the embedded chain only the first one. */
async function configuredSigners({ config, signers }: Premises): Promise<Hex[]> {
  const addresses = (await signers()).map(({ address }) => address);
  return config.rpcUrls ? addresses : addresses.slice(0, 1);
}

/** Makes an address an executor of the Operator, and lets its lane send if it was retired. */
export async function grantSigner(premises: Premises, address: Hex): Promise<Report> {
  const chain = await premises.chain();
  await reviveLane(premises.db, address);
  const signer = presentAddress(address);
  if (await isExecutor(chain.rpc, chain.operator, address)) {
    return { json: { signer, executor: true, sent: false }, text: `${signer} is an executor already.` };
  }
  const outcome = await administer(premises, chain, encodeGrant(address));
  return {
    json: { signer, executor: outcome.sent, ...outcome },
    text: describe(outcome, `${signer} is an executor now`),
  };
}

const LOOK_MS = 250;

/**
 * Moves from one signer to the next, as far as it goes now; to be run again until nothing remains. The old signer sends
 * nothing more from here on, and loses its role only when nothing of it is under way.
 * @param waitSeconds how long to wait for what the old signer has under way
 */
export async function rotateSigners(
  premises: Premises,
  { from, to, waitSeconds }: { from?: Hex | undefined; to?: Hex | undefined; waitSeconds: number },
): Promise<Report> {
  const { db } = premises;
  const chain = await premises.chain();
  const pair = await choosePair(premises, from, to);
  const [old, next] = [presentAddress(pair.from), presentAddress(pair.to)];
  const done: string[] = [];
  const transactions: Administered[] = [];
  let movedContracts = 0;
  const report = (remaining: string[]): Report => ({
    json: {
      from: old,
      to: next,
      movedContracts,
      done,
      remaining,
      isComplete: remaining.length === 0,
      transactions,
    },
    text: [
      `From ${old} to ${next}.`,
      ...done.map((step) => `done     ${step}`),
      ...remaining.map((step) => `remains  ${step}`),
      ...(remaining.length === 0
        ? [`Nothing remains here. Take the key of ${old} out of the configuration before the next start.`]
        : []),
    ].join('\n'),
  });
  /** Returns what remains to be done by the admin, if the key is elsewhere. */
  const change = async (data: Hex, step: string): Promise<string[]> => {
    const outcome = await administer(premises, chain, data);
    transactions.push(outcome);
    if (!outcome.sent) return [`${describe(outcome, '')}\n\nand then run this command again.`];
    done.push(step);
    return [];
  };

  if (!(await isExecutor(chain.rpc, chain.operator, pair.to))) {
    const remaining = await change(encodeGrant(pair.to), `${next} is an executor`);
    if (remaining.length > 0) return report(remaining);
  }
  await reviveLane(db, pair.to);
  const isRunning = async (signer: Hex): Promise<boolean> =>
    (await findLanes(db)).some((lane) => lane.signer === signer && lane.isHeld);
  if (!(await waitFor(() => isRunning(pair.to), LEASE_GRACE_MS))) {
    return report([
      `Start an engine with the key of ${next}, beside that of ${old} or in its place, and run this command again.`,
    ]);
  }

  let lane: LaneState | undefined;
  const isDrained = await waitFor(async () => {
    const step = await retireLane(db, pair.from, pair.to);
    movedContracts += step.moved;
    lane = step.lane;
    return !lane || lane.open + lane.mined + lane.contracts === 0;
  }, waitSeconds * 1_000);
  if (movedContracts > 0) done.push(`${movedContracts} contracts moved to ${next}`);
  if (!isDrained && lane) {
    const under = `${lane.open + lane.mined} transactions of ${old} have no final verdict yet`;
    return report([
      lane.isHeld
        ? `${under}: run this command again in a moment.`
        : `${under}, and nobody holds its lane: start an engine with its key, and run this command again.`,
    ]);
  }
  if (lane) done.push(`${old} sends nothing more, and nothing of it is under way`);
  if (await isExecutor(chain.rpc, chain.operator, pair.from)) {
    return report(await change(encodeRevocation(pair.from), `${old} is no executor any more`));
  }
  return report([]);
}

/** A lane that was just marked, or whose holder was busy, is without one until that takes it again. */
const LEASE_GRACE_MS = 6_000;

/** Whether it came true within so many milliseconds; it is looked at once at least. */
async function waitFor(isTrue: () => Promise<boolean>, milliseconds: number): Promise<boolean> {
  for (const end = Date.now() + milliseconds; ; await sleep(LOOK_MS)) {
    if (await isTrue()) return true;
    if (Date.now() >= end) return false;
  }
}

/**
 * The pair that was named. What was not follows where only two signers are about: of those with a lane or a key here,
 * the one without a key goes, or else the one that is configured first.
 */
async function choosePair(
  premises: Premises,
  from: Hex | undefined,
  to: Hex | undefined,
): Promise<{ from: Hex; to: Hex }> {
  const configured = await configuredSigners(premises);
  const lanes = (await findLanes(premises.db)).filter(({ retiring }) => !retiring);
  const elsewhere = lanes.map(({ signer }) => signer).filter((signer) => !configured.includes(signer));
  const others = [...elsewhere, ...configured].filter((signer) => signer !== from && signer !== to);
  const missing = Number(!from) + Number(!to);
  if (missing > 0 && others.length !== missing) {
    throw new Error('Say which signer goes and which one comes: signers rotate --from ADDRESS --to ADDRESS');
  }
  const pair = { from: from ?? others[0]!, to: to ?? others.at(-1)! };
  if (pair.from === pair.to) throw new Error('The old and the new signer are the same');
  return pair;
}
