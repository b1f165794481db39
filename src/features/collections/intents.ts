import type { Tx } from '../../db/client.ts';
import type { FollowUps, FindGone, Intent, NewlyAccepted, VerdictChange } from '../../engine/index.ts';
import type { Hex } from '../../lib/hex.ts';
import { readBatchMint, readDeployment, readAskedMint } from '../intent-kinds.ts';
import type { Asked } from '../intent-kinds.ts';
import { TOKEN_STANDARDS } from '../../chain/token-standards.ts';
import { noCollection } from './find-collection.ts';
import { trimNowAndThen } from './old-sandbox.ts';
import { deleteNfts, findAddresses, insertSandboxNfts, recordNfts } from './store.ts';

/**
 * In the sandbox no hold keeps what a write left of the credits, so the intent does. @param remaining null: it cost
 * nothing
 */
export function askInSandbox({ kind, arguments: asked }: Asked, remaining: number | null): Asked {
  return { kind, arguments: { ...asked, remaining } };
}

/** The credits that a write of the sandbox left. */
export function readSandboxCredits({ arguments: asked }: Intent): number {
  return asked['remaining'] as number;
}

/** Whom an intent mints an NFT to, in the order of the ids; nobody when it is another kind of intent. */
export function recipientsOf(intent: Intent): Hex[] {
  const batch = readBatchMint(intent);
  if (batch) return batch;
  const mint = readAskedMint(intent);
  return mint && TOKEN_STANDARDS[mint.type].hasTokenIds ? [mint.to] : [];
}

/** A collection of the sandbox may have been deleted after a request found it. */
export const findGone: FindGone = async (tx, requests) => {
  const writes = requests.filter(
    (request) => request.environment === 'sandbox' && readDeployment(request) === null,
  );
  const kept = await findAddresses(
    tx,
    writes.map(({ contract }) => contract),
  );
  return new Map(
    writes.filter(({ contract }) => !kept.has(contract)).map((request) => [request, noCollection()]),
  );
};

/** Keeps the records of NFTs in step with the intents that mint them, of either API. */
export const nfts: FollowUps = { accepted: mintInSandbox, settled: settleMints };

/**
 * Mints what was accepted in the sandbox, where the verdict came with the acceptance, and deletes what is too old
 * there.
 */
async function mintInSandbox(tx: Tx, accepted: readonly NewlyAccepted[]): Promise<void> {
  const written = accepted.filter(({ intent }) => intent.environment === 'sandbox');
  await insertSandboxNfts(
    tx,
    written.flatMap(({ intent }) =>
      recipientsOf(intent).map((recipient) => ({
        contract: intent.contract,
        recipient,
        intentNumber: intent.number,
      })),
    ),
  );
  await trimNowAndThen(
    tx,
    written.map(({ intent }) => intent.accountId),
  );
}

/** Records the NFTs of confirmed mints, and deletes those that a reorg took back. */
async function settleMints(tx: Tx, verdicts: readonly VerdictChange[]): Promise<void> {
  const retracted = verdicts.filter(
    ({ intent, outcome }) => outcome === 'retracted' && recipientsOf(intent).length > 0,
  );
  await deleteNfts(
    tx,
    retracted.map(({ intent }) => intent.number),
  );
  // Without a result nobody knows the ids.
  const minted = verdicts.filter(
    ({ outcome, intent }) => (outcome === 'confirmed' || outcome === 'final') && intent.result !== null,
  );
  await recordNfts(
    tx,
    minted.flatMap(({ intent }) =>
      recipientsOf(intent).map((recipient, index) => ({
        contract: intent.contract,
        tokenId: BigInt(intent.result!) + BigInt(index),
        recipient,
        intentNumber: intent.number,
        transactionHash: intent.transactionHash!,
      })),
    ),
  );
}
