import { formatEther } from 'ethers';
import { presentAddress } from '../chain/address.ts';
import { grantOf, isExecutor } from '../chain/system/roles.ts';
import type { Hex } from '../lib/hex.ts';
import { operatorsOf } from '../lib/operators.ts';
import { findLane, findLanes, resumeLane } from '../engine/index.ts';
import type { LaneState } from '../engine/index.ts';
import { readExecution } from './execution.ts';
import { administerAll, administerCall, describe, isMade } from './operator.ts';
import type { AdminContext, AdministeredChain } from './open.ts';
import { list } from './report.ts';
import type { Report } from './report.ts';

/** Shows every signer that is configured here, or has a lane. */
export async function signersStatus(context: AdminContext): Promise<Report> {
  const chain = await context.chain();
  const lanes = new Map((await findLanes(context.db)).map((lane) => [lane.signer, lane]));
  const configured = await configuredSigners(context);
  const addresses = [...new Set([...configured, ...lanes.keys()])];
  const signers = await Promise.all(
    addresses.map(async (address) => {
      const lane = lanes.get(address);
      return {
        address: presentAddress(address),
        configured: configured.includes(address),
        ...(await readSigner(chain, address)),
        lane: lane ? presentLane(lane) : null,
      };
    }),
  );
  const texts = signers.map(describeSigner);
  const operators = await Promise.all(
    operatorsOf(chain).map((operator) => describeOperator(chain, operator)),
  );
  return {
    json: signers,
    text: [
      ...operators,
      ...(texts.length > 0 ? texts : ['There is no signer yet: start the service with one.']),
    ].join('\n\n'),
  };
}

async function describeOperator({ rpc }: AdministeredChain, operator: Hex): Promise<string> {
  const { stopped, epoch } = await readExecution({ rpc, operator });
  return list([
    ['operator', presentAddress(operator)],
    ['epoch', Number(epoch)],
    ['execution', stopped ? 'stopped' : 'runs'],
  ]);
}

async function readSigner(chain: AdministeredChain, address: Hex) {
  const { rpc } = chain;
  const [roles, balance, nonce] = await Promise.all([
    Promise.all(operatorsOf(chain).map((operator) => isExecutor(rpc, operator, address))),
    rpc.call<Hex>('eth_getBalance', [address, 'latest']),
    rpc.call<Hex>('eth_getTransactionCount', [address, 'latest']),
  ]);
  const executor = !roles.includes(false);
  return { executor, balance: BigInt(balance), nonceOnChain: Number(nonce) };
}

interface SignerStatus extends Awaited<ReturnType<typeof readSigner>> {
  address: string;
  configured: boolean;
  lane: ReturnType<typeof presentLane> | null;
}

function describeSigner({
  address,
  configured,
  executor,
  balance,
  nonceOnChain,
  lane,
}: SignerStatus): string {
  return list([
    ['signer', address],
    ['key is here', configured],
    ['executor', executor],
    ['balance', `${formatEther(balance)} ether`],
    ['nonce on chain', nonceOnChain],
    ['nonce in lane', lane?.nextNonce ?? null],
    ['lane', stateOf(lane && { ...lane, trouble: lane.pauseReason })],
    ['held by', lane?.isHeld ? lane.holder : null],
    ['until', lane?.isHeld ? lane.leaseUntil : null],
    ['open', lane ? `${lane.openTransactions} transactions` : null],
    ['not settled', lane ? `${lane.unsettledTransactions} transactions` : null],
  ]);
}

function presentLane({ open, mined, ...lane }: LaneState) {
  return {
    nextNonce: Number(lane.nextNonce),
    holder: lane.holder,
    leaseUntil: lane.leaseUntil,
    isHeld: lane.isHeld,
    funded: lane.funded,
    retiring: lane.retiring,
    buried: lane.buried,
    pauseReason: lane.trouble,
    pausedOperators: lane.pausedOperators,
    openTransactions: open,
    unsettledTransactions: mined,
    isSender: lane.isSender,
  };
}

const PAUSED_BECAUSE = {
  signer: 'its key does not sign',
  budget: 'the fees of the day are spent',
  stuck: 'its first transaction is not mined',
} as const;

const OPERATOR_BECAUSE = {
  stopped: 'is stopped',
  'wrong-epoch': 'is in an earlier epoch',
  'no-role': 'has it as no executor',
} as const;

/** What a lane does, in a few words. */
export function stateOf(
  lane: Pick<
    LaneState,
    'buried' | 'retiring' | 'isHeld' | 'isSender' | 'trouble' | 'pausedOperators' | 'funded'
  > | null,
): string {
  if (!lane) return 'never ran';
  if (lane.buried) return 'buried';
  if (lane.retiring) return 'retiring';
  if (!lane.isHeld) return 'nobody holds it';
  if (lane.trouble) return `paused: ${PAUSED_BECAUSE[lane.trouble]}`;
  if (!lane.funded) return 'out of funds';
  const paused = lane.pausedOperators.map(
    ({ operator, reason }) => `${presentAddress(operator)} ${OPERATOR_BECAUSE[reason]}`,
  );
  if (paused.length > 0) return `waits: ${paused.join(', ')}`;
  return lane.isSender ? 'sends' : 'stands by';
}

/** Returns the signers whose keys send the service's transactions: when developing only the first one. */
export async function configuredSigners({ config, signers }: AdminContext): Promise<Hex[]> {
  const addresses = (await signers()).map(({ address }) => address);
  return config.developing ? addresses.slice(0, 1) : addresses;
}

/** @throws Error for a signer that was given up: with its role, what it signed would have an effect again */
export async function refuseBuried({ db }: AdminContext, signer: Hex): Promise<void> {
  const lane = await findLane(db, signer);
  if (lane?.buried)
    throw new Error('This signer is buried: what it signed may exist still. Use a new key in its place');
}

/** Makes an address an executor of all Operators, and lets its lane send again if that was retired. */
export async function grantSigner(context: AdminContext, address: Hex): Promise<Report> {
  const chain = await context.chain();
  await refuseBuried(context, address);
  await resumeLane(context.db, address);
  const signer = presentAddress(address);
  const lacksRole = async (operator: Hex): Promise<boolean> =>
    !(await isExecutor(chain.rpc, operator, address));
  const outcome = await administerAll(chain, lacksRole, (operator) =>
    administerCall(context, chain, operator, grantOf(operator, address)),
  );
  if (!outcome) {
    return { json: { signer, executor: true, sent: false }, text: `${signer} is an executor already.` };
  }
  return {
    json: { signer, executor: isMade(outcome), ...outcome },
    text: describe(outcome, `${signer} is an executor now`),
  };
}
