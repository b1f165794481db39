import { readMint } from '../../chain/abi/mint.ts';
import { presentAddress } from '../../chain/address.ts';
import { TOKEN_STANDARDS } from '../../chain/token-standards.ts';
import type { Intent } from '../../engine/index.ts';
import type { Schemas } from '../../http/operation.ts';
import {
  readBatchMint,
  readDeployment,
  readForceTransfer,
  readMetadataTokenId,
  readAskedMint,
} from '../intent-kinds.ts';

/** What an intent is about, as far as its kind has it. */
export type Subject = Pick<Schemas['Intent'], 'token' | 'to' | 'amount' | 'tokenId'>;

export function presentSubject(intent: Intent): Subject {
  return { token: presentToken(intent), ...presentMoved(intent) };
}

/** A deployment that came to nothing has no record, but knows what it asked for. */
function presentToken(intent: Intent): Subject['token'] {
  const { symbol = null, decimals = null } = readDeployment(intent) ?? intent.token ?? {};
  return { address: presentAddress(intent.contract), symbol, decimals };
}

function presentMoved(intent: Intent): Omit<Subject, 'token'> {
  const mint = readAskedMint(intent);
  if (mint) {
    const to = presentAddress(mint.to);
    if (TOKEN_STANDARDS[mint.type].hasTokenIds) return { to, tokenId: firstIdOf(intent) };
    return { to, ...amountOf(intent) };
  }
  const batch = readBatchMint(intent);
  if (batch) return { amount: String(batch.length), tokenId: firstIdOf(intent) };
  const transfer = readForceTransfer(intent);
  if (transfer) {
    const { to, amount, tokenId } = transfer;
    return {
      to: to && presentAddress(to),
      ...(amount !== undefined && { amount }),
      ...(tokenId !== undefined && { tokenId }),
    };
  }
  const tokenId = readMetadataTokenId(intent);
  return tokenId === null ? {} : { tokenId };
}

/** Null until it is minted: the contract gives the ids. */
function firstIdOf({ status, result, firstTokenId }: Intent): string | null {
  if (status !== 'confirmed') return null;
  const id = result === null ? firstTokenId : BigInt(result);
  return id === null ? null : String(id);
}

/** Of an ERC-20 mint: its calldata alone has the amount. */
function amountOf({ callHead }: Intent): { amount?: string } {
  const amount = (callHead && readMint(callHead)?.amount) ?? null;
  return amount === null ? {} : { amount: String(amount) };
}
