import {
  encodeAdminExecute,
  encodeSchedule,
  isAdmin,
  nextStepOf,
  ownershipOfferOf,
} from '../chain/system/roles.ts';
import type { AdminCall } from '../chain/system/roles.ts';
import { SEND_TIMEOUT_MS, sendAndWait } from '../chain/system/send-and-wait.ts';
import { RpcRefused } from '../chain/rpc/rpc.ts';
import { describeRevert } from '../chain/abi/reverts.ts';
import { PENDING_OWNER, TOKEN_STATE } from '../chain/abi/token.ts';
import type { View } from '../chain/abi/view.ts';
import { presentAddress } from '../chain/address.ts';
import type { Hex } from '../lib/hex.ts';
import { operatorsOf } from '../lib/operators.ts';
import { borrowLane } from '../engine/index.ts';
import { findTokens } from '../features/tokens/store.ts';
import type { AdminContext, AdministeredChain } from './open.ts';
import type { Report } from './report.ts';

/** Longer than the transaction may take, so that the lane is not taken by others meanwhile. */
const LANE_SECONDS = SEND_TIMEOUT_MS / 1_000 + 60;

/**
 * A transaction for the Operator: sent by this command, or to be sent by the holder of the key. With `isAnnounced` the
 * call that was asked for is made by the same command again, once the admin's delay is over.
 */
export type Administered = { sent: true; transactionHash: Hex; isAnnounced?: true } | Unsent | Waiting;

/** The call is announced, and due at this time (ISO 8601). */
interface Waiting {
  sent: false;
  dueAt: string;
}

interface Unsent {
  sent: false;
  to: Hex;
  data: Hex;
  command: string;
  isAnnounced?: true;
}

/**
 * Sends a call to an Operator when one of the keys here may make it. Otherwise returns what the holder of such a key
 * has to send.
 */
export async function administer(
  { db, log, signers }: Pick<AdminContext, 'db' | 'log' | 'signers'>,
  { rpc, chainId, profile }: AdministeredChain,
  { operator, data, isAllowed = isAdmin }: { operator: Hex; data: Hex; isAllowed?: typeof isAdmin },
): Promise<{ sent: true; transactionHash: Hex } | Unsent> {
  for (const signer of await signers()) {
    if (!(await isAllowed(rpc, operator, signer.address))) continue;
    try {
      const { hash } = await borrowLane(db, signer.address, LANE_SECONDS, (minNonce) =>
        sendAndWait({ rpc, log, chainId, profile }, signer, { to: operator, data }, minNonce),
      );
      return { sent: true, transactionHash: hash };
    } catch (error) {
      if (!(error instanceof RpcRefused) || !error.data) throw error;
      throw new Error(`${describeRevert(error.data).message}; nothing was sent`, {
        cause: error,
      });
    }
  }
  const to = presentAddress(operator) as Hex;
  return { sent: false, to, data, command: castSend(to, data) };
}

/**
 * Lets an Operator make a call for its admin: at once where nothing has to wait, else announced, and made once it is
 * due.
 */
export async function administerCall(
  context: Pick<AdminContext, 'db' | 'log' | 'signers'>,
  chain: AdministeredChain,
  operator: Hex,
  call: AdminCall,
): Promise<Administered> {
  const next = await nextStepOf(chain.rpc, operator, call);
  if (next instanceof Date) return { sent: false, dueAt: next.toISOString() };
  if (next === 'execute') return administer(context, chain, { operator, data: encodeAdminExecute(call) });
  return {
    ...(await administer(context, chain, { operator, data: encodeSchedule(call) })),
    isAnnounced: true,
  };
}

/**
 * The command of a person with a hardware wallet, who has the environment of the service: `cast` takes one endpoint,
 * the first.
 */
export const castSend = (to: Hex, data: Hex): string =>
  `cast send ${to} ${data} --rpc-url "\${RPC_URL%%,*}" --ledger`;

/** Sends a transaction that does nothing with a key that is here, if there is one, for the block that it brings. */
export async function makeBlock(
  { db, log, signers }: Pick<AdminContext, 'db' | 'log' | 'signers'>,
  { rpc, chainId, profile }: AdministeredChain,
): Promise<void> {
  const [signer] = await signers();
  if (!signer) return;
  const nothing = { to: signer.address, data: '0x' } as const;
  await borrowLane(db, signer.address, LANE_SECONDS, (minNonce) =>
    sendAndWait({ rpc, log, chainId, profile }, signer, nothing, minNonce),
  );
}

/**
 * Administers each Operator that wants it: a stop reaches those that a key here may stop, whoever has to stop the
 * others. Returns the first outcome that the holder of a key elsewhere has to send, else the first call that is not
 * made yet, else the last one; null when none wants it.
 */
export async function administerAll(
  chain: AdministeredChain,
  wants: (operator: Hex) => Promise<boolean>,
  administerOne: (operator: Hex) => Promise<Administered>,
): Promise<Administered | null> {
  const outcomes: Administered[] = [];
  for (const operator of operatorsOf(chain)) {
    if (await wants(operator)) outcomes.push(await administerOne(operator));
  }
  const unsent = outcomes.find((outcome) => 'command' in outcome);
  return unsent ?? outcomes.find((outcome) => !isMade(outcome)) ?? outcomes.at(-1) ?? null;
}

/** Whether the Operator has made the call that was asked for. */
export const isMade = (outcome: Administered): boolean => outcome.sent && !outcome.isAnnounced;

/**
 * Describes an outcome for people.
 * @param done what was achieved, if it was sent
 * @param who may send it, in two or three words
 */
export function describe(outcome: Administered, done: string, who = 'the admin'): string {
  if ('dueAt' in outcome) return `It is announced, and due at ${outcome.dueAt}: run this command again then.`;
  const again = outcome.isAnnounced ? AGAIN : '';
  if (outcome.sent) {
    const what = outcome.isAnnounced ? 'It is announced' : done;
    return `${what}, with transaction ${outcome.transactionHash}.${again}`;
  }
  return [
    `No key is here of ${who} of the Operator. Let ${who} send this transaction:`,
    ...describeTransaction(outcome),
    ...(outcome.isAnnounced ? ['', `That announces it.${AGAIN}`] : []),
  ].join('\n');
}

const AGAIN = ' The Operator makes it after the delay of its admin: run this command again then.';

/** Lines that show a transaction which somebody has to send. */
const describeTransaction = ({ to, data, command }: Omit<Unsent, 'sent'>): string[] => [
  '',
  `  to    ${to}`,
  `  data  ${data}`,
  '',
  `for example with`,
  '',
  `  ${command}`,
];

/** Offers a token that the Operator owns to a new owner: it changes hands when that one accepts it. */
export async function transferOwnership(context: AdminContext, token: Hex, owner: Hex): Promise<Report> {
  const [known] = await findTokens(context.db, [token]);
  if (!known) throw new Error(`No token of this service is at ${presentAddress(token)}`);
  if (known.environment === 'sandbox') throw new Error('This token is of the sandbox: it is on no chain');
  const chain = await context.chain();
  const { owner: before } = await ask(chain, token, TOKEN_STATE);
  const facts = { token: presentAddress(token), from: presentAddress(before), owner: presentAddress(owner) };
  if (before === owner)
    return { json: { ...facts, changed: false }, text: `${facts.owner} is the owner already.` };
  if (!operatorsOf(chain).includes(before)) {
    throw new Error(`The owner of this token is ${facts.from}, who alone may give it away`);
  }
  if ((await ask(chain, token, PENDING_OWNER)) === owner) {
    const text = `The token is offered to ${facts.owner} already, who has to call acceptOwnership(newOperator).`;
    return { json: { ...facts, changed: false }, text };
  }
  const outcome = await administerCall(context, chain, before, ownershipOfferOf(token, owner));
  const done = `The token ${facts.token} belongs to ${facts.owner} as soon as that account calls acceptOwnership(newOperator): it is offered`;
  return { json: { ...facts, changed: isMade(outcome), ...outcome }, text: describe(outcome, done) };
}

async function ask<Answer>({ rpc }: AdministeredChain, token: Hex, view: View<Answer>): Promise<Answer> {
  const answer = await rpc.call<Hex>('eth_call', [{ to: token, data: view.data }, 'latest']);
  if (answer === '0x') throw new Error(`The chain has no contract at ${presentAddress(token)}`);
  return view.decode(answer);
}
