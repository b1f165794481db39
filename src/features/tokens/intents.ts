import type { Tx } from '../../db/client.ts';
import type { FollowUps, Intent, NewlyAccepted, VerdictChange } from '../../engine/index.ts';
import type { Hex } from '../../lib/hex.ts';
import { readDeployment } from '../intent-kinds.ts';
import type { Asked } from '../intent-kinds.ts';
import type { Royalty } from '../../chain/abi/bounds.ts';
import type { AccountControl, TokenControl } from '../../chain/abi/controls.ts';
import { deleteUndeployed, hideDeployed, insertTokens, noteDeployed } from './store.ts';
import type { NewToken } from './store.ts';

/** @param account null for a control of the whole token */
export function askControl(kind: TokenControl | AccountControl, account: Hex | null): Asked {
  return { kind, arguments: account === null ? {} : { account } };
}

/** @param perDay a decimal string, as the others below */
export function askMintLimit(perDay: string): Asked {
  return { kind: 'set_mint_limit', arguments: { perDay } };
}

export function askRoyalty(royalty: Royalty): Asked {
  return { kind: 'set_royalty', arguments: { ...royalty } };
}

/** Keeps the records of tokens in step with the intents of their deployments. */
export const deployments: FollowUps = { accepted: recordDeployments, settled: settleDeployments };

/** Writes the record of each accepted deployment; one that is confirmed already, in the sandbox, is visible at once. */
async function recordDeployments(tx: Tx, accepted: readonly NewlyAccepted[]): Promise<void> {
  const tokens = accepted.flatMap(({ intent }) => newTokenOf(intent) ?? []);
  await insertTokens(tx, tokens);
  const deployed = accepted.filter(({ intent }) => isDeployment(intent) && intent.status === 'confirmed');
  await noteDeployed(tx, numbersOf(deployed));
}

/**
 * Shows confirmed deployments, hides those that a reorg took back, and deletes those that failed. A failure that is
 * reopened gets its record back.
 */
async function settleDeployments(tx: Tx, verdicts: readonly VerdictChange[]): Promise<void> {
  const withOutcome = (...outcomes: VerdictChange['outcome'][]): bigint[] =>
    numbersOf(verdicts.filter(({ intent, outcome }) => isDeployment(intent) && outcomes.includes(outcome)));
  const reopened = verdicts.filter(({ outcome }) => outcome === 'reopened');
  await insertTokens(
    tx,
    reopened.flatMap(({ intent }) => newTokenOf(intent) ?? []),
  );
  await noteDeployed(tx, withOutcome('confirmed', 'final'));
  await hideDeployed(tx, withOutcome('retracted'));
  await deleteUndeployed(tx, withOutcome('failed', 'cancelled'));
}

function newTokenOf(intent: Intent): NewToken | null {
  const deployment = readDeployment(intent);
  return (
    deployment && {
      ...deployment,
      recoverable: deployment.bounds.recoverable,
      address: intent.contract,
      intentNumber: intent.number,
      accountId: intent.accountId,
      environment: intent.environment,
      createdAt: intent.createdAt,
    }
  );
}

function isDeployment(intent: Intent): boolean {
  return readDeployment(intent) !== null;
}

function numbersOf(intents: readonly { intent: Intent }[]): bigint[] {
  return intents.map(({ intent }) => intent.number);
}
