import type { Hex } from '../../lib/hex.ts';
import type { Tx } from '../../db/client.ts';
import type { Intent, Verdict } from '../../engine/index.ts';
import { deleteNfts, insertSandboxNfts, recordNfts } from './store.ts';

/** Whom an intent mints an NFT to, in the order of the ids; nobody when it is another kind of intent. */
export function recipientsOf({ kind, arguments: { type, to, recipients } }: Intent): Hex[] {
  if (kind === 'batch_mint') return recipients as Hex[];
  return kind === 'mint' && type === 'ERC721' ? [to as Hex] : [];
}

/** Records the NFTs of confirmed mints, of either API, and forgets those that a reorg took back. */
export async function settleMints(tx: Tx, verdicts: readonly Verdict[]): Promise<void> {
  const retracted = verdicts.filter(
    ({ intent, outcome }) => outcome === 'retracted' && recipientsOf(intent).length > 0,
  );
  await deleteNfts(
    tx,
    retracted.map(({ intent }) => intent.number),
  );
  const minted = verdicts.filter(({ outcome }) => outcome === 'confirmed' || outcome === 'final');
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

/** Mints what was accepted in the sandbox; the verdict came with the acceptance. */
export async function mintInSandbox(tx: Tx, accepted: readonly { intent: Intent }[]): Promise<void> {
  await insertSandboxNfts(
    tx,
    accepted
      .filter(({ intent }) => intent.environment === 'sandbox')
      .flatMap(({ intent }) =>
        recipientsOf(intent).map((recipient) => ({
          contract: intent.contract,
          recipient,
          intentNumber: intent.number,
        })),
      ),
  );
}
