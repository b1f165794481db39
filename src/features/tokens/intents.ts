import type { Tx } from '../../db/client.ts';
import type { Intent, Verdict } from '../../engine/index.ts';
import type { DeploymentArguments } from './service.ts';
import { deleteUndeployed, hideDeployed, insertTokens, markDeployed } from './store.ts';

export const isDeployment = ({ kind }: Intent): boolean =>
  kind === 'deploy_token' || kind === 'create_collection';

/** Writes the record of each accepted deployment; one that is confirmed already, in the sandbox, is seen at once. */
export async function recordDeployments(tx: Tx, accepted: readonly { intent: Intent }[]): Promise<void> {
  await insertTokens(
    tx,
    accepted.flatMap(({ intent }) =>
      isDeployment(intent)
        ? [
            {
              ...(intent.arguments as unknown as DeploymentArguments),
              address: intent.contract,
              intentNumber: intent.number,
              accountId: intent.accountId,
              environment: intent.environment,
              createdAt: intent.createdAt,
            },
          ]
        : [],
    ),
  );
  const deployed = accepted
    .filter(({ intent }) => isDeployment(intent) && intent.status === 'confirmed')
    .map(({ intent }) => intent.number);
  if (deployed.length > 0) await markDeployed(tx, deployed);
}

/** Lets confirmed deployments be seen, hides those that a reorg took back, and forgets those that failed. */
export async function settleDeployments(tx: Tx, verdicts: readonly Verdict[]): Promise<void> {
  const numbers = (outcomes: readonly Verdict['outcome'][]): bigint[] =>
    verdicts
      .filter(({ intent, outcome }) => isDeployment(intent) && outcomes.includes(outcome))
      .map(({ intent }) => intent.number);
  const deployed = numbers(['confirmed', 'final']);
  if (deployed.length > 0) await markDeployed(tx, deployed);
  const retracted = numbers(['retracted']);
  if (retracted.length > 0) await hideDeployed(tx, retracted);
  const failed = numbers(['failed', 'cancelled']);
  if (failed.length > 0) await deleteUndeployed(tx, failed);
}
