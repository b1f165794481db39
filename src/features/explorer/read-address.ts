import { TOKEN_LIMITS } from '../../chain/abi/bounds.ts';
import type { TokenLimits } from '../../chain/abi/bounds.ts';
import { CREATION_PAUSED } from '../../chain/abi/factory.ts';
import { decodeUriBytes, uriView } from '../../chain/abi/metadata.ts';
import { TOKEN_STATE, TOTAL_SUPPLY, ownerOfView } from '../../chain/abi/token.ts';
import type { TokenState } from '../../chain/abi/token.ts';
import type { View } from '../../chain/abi/view.ts';
import { TOKEN_STANDARDS, factoriesOf } from '../../chain/token-standards.ts';
import type { TokenType } from '../../chain/token-standards.ts';
import { recogniseClone } from '../../chain/system/clones.ts';
import { isAdmin, isExecutor } from '../../chain/system/roles.ts';
import { unlessRefused } from '../../chain/rpc/rpc.ts';
import type { Chain } from '../../chain/chain.ts';
import type { Hex } from '../../lib/hex.ts';
import type { Db } from '../../db/client.ts';
import { readDescription } from './picture.ts';
import type { Description } from './picture.ts';
import {
  contractsOf,
  findDeployment,
  findKnownTokens,
  listActivity,
  listSent,
  listSigners,
} from './store.ts';
import type { Activity, KnownToken, SentTransaction } from './store.ts';

/** One token of a collection. */
export interface ShownNft {
  tokenId: bigint;
  /** Null when it is burned. */
  owner: Hex | null;
  description: Description | null;
}

/** What is at an address. */
export type Subject =
  | {
      kind: 'token';
      type: TokenType;
      /** Null when the contract does not answer as its kind should. */
      details: TokenState | null;
      /** As `details`. */
      limits: TokenLimits | null;
      /** Tokens that exist, where they have ids. */
      existing: bigint | null;
      description: Description | null;
      nfts: ShownNft[];
      deployment: { at: Date; hash: Hex } | undefined;
      activity: Activity[];
    }
  | { kind: 'factory'; name: string; paused: boolean | null }
  | { kind: 'operator'; signers: Hex[]; sent: SentTransaction[] }
  | { kind: 'part'; name: string }
  | { kind: 'contract'; bytes: number }
  | { kind: 'account'; executor: boolean; admin: boolean; signs: boolean; sent: SentTransaction[] };

export interface ShownAddress {
  address: Hex;
  /** In wei. */
  balance: bigint;
  nonce: bigint;
  subject: Subject;
  tokens: ReadonlyMap<Hex, KnownToken>;
}

/** Tokens of a collection on one page: each costs two calls. */
export const NFTS_ON_A_PAGE = 8;
const MAX_ACTIVITY = 20;
/** A foreign contract may answer anything at any length. */
const MAX_ANSWER_CHARACTERS = 400_000;

interface Parts {
  db: Db;
  chain: Pick<Chain, 'rpc' | 'blockCache' | 'system' | 'formerOperators'>;
}

/**
 * Reads an address: three calls in one request to the node, then at most two, and for a token at most four views and
 * two for each of its tokens on the page. A view is called once a block.
 * @param highest the highest id of the tokens to show; null for the newest
 * @returns null for an address of which neither the chain nor the service knows anything
 * @throws RpcUnreachable, RpcRefused
 */
export async function readAddress(
  parts: Parts,
  address: Hex,
  highest: bigint | null,
): Promise<ShownAddress | null> {
  const { db } = parts;
  const { rpc } = parts.chain;
  const [code, balance, count] = await Promise.all([
    rpc.call<Hex>('eth_getCode', [address, 'latest']),
    rpc.call<Hex>('eth_getBalance', [address, 'latest']).then(BigInt),
    rpc.call<Hex>('eth_getTransactionCount', [address, 'latest']).then(BigInt),
  ]);
  const subject = await recognise(parts, address, code, highest);
  const isBlank =
    subject.kind === 'account' && !subject.executor && !subject.admin && !subject.signs && balance === 0n;
  if (isBlank && count === 0n) return null;
  const named = [
    address,
    ...(subject.kind === 'token' && subject.details ? [subject.details.owner, subject.details.operator] : []),
    ...('sent' in subject ? contractsOf(subject.sent) : []),
  ];
  return { address, balance, nonce: count, subject, tokens: await findKnownTokens(db, named) };
}

async function recognise(parts: Parts, address: Hex, code: Hex, highest: bigint | null): Promise<Subject> {
  const { db } = parts;
  const { rpc, blockCache, system, formerOperators } = parts.chain;
  if (code === '0x') {
    const [executor, admin, signers, sent] = await Promise.all([
      unlessRefused(isExecutor(rpc, system.operator, address)),
      unlessRefused(isAdmin(rpc, system.operator, address)),
      listSigners(db),
      listSent(db, address, MAX_ACTIVITY),
    ]);
    return {
      kind: 'account',
      executor: executor ?? false,
      admin: admin ?? false,
      signs: signers.includes(address),
      sent,
    };
  }
  const type = recogniseClone(system, code);
  if (type) return readToken(parts, address, type, highest);
  if (address === system.operator || formerOperators.includes(address)) {
    const [signers, sent] = await Promise.all([listSigners(db), listSent(db, null, MAX_ACTIVITY)]);
    return { kind: 'operator', signers, sent };
  }
  const name = system.contracts.find((contract) => contract.address === address)?.name;
  if (name === undefined) return { kind: 'contract', bytes: (code.length - 2) / 2 };
  if (!factoriesOf(system).includes(address)) return { kind: 'part', name };
  const paused = await unlessRefused(blockCache.read(address, CREATION_PAUSED));
  return { kind: 'factory', name, paused };
}

async function readToken(
  { db, chain }: Parts,
  address: Hex,
  type: TokenType,
  highest: bigint | null,
): Promise<Subject> {
  const ask = async <Answer>({ data, decode }: View<Answer>): Promise<Answer | null> => {
    const answer = await unlessRefused(chain.blockCache.read(address, { data, decode: asIs }));
    if (answer === null || answer.length > MAX_ANSWER_CHARACTERS) return null;
    try {
      return decode(answer);
    } catch {
      return null;
    }
  };
  const describe = (id: bigint | null): Promise<Description | null> =>
    ask({ ...uriView(id), decode: (answer) => readDescription(decodeUriBytes(answer)) });

  const { hasTokenIds } = TOKEN_STANDARDS[type];
  const [details, limits, existing, description, deployment, activity] = await Promise.all([
    ask(TOKEN_STATE),
    ask(TOKEN_LIMITS),
    hasTokenIds ? ask(TOTAL_SUPPLY) : null,
    describe(null),
    findDeployment(db, address),
    listActivity(db, address, MAX_ACTIVITY),
  ]);
  const ids = hasTokenIds ? idsDownFrom(details?.supply ?? 0n, highest) : [];
  const nfts = await Promise.all(
    ids.map(async (tokenId) => {
      const [owner, nft] = await Promise.all([ask(ownerOfView(tokenId)), describe(tokenId)]);
      return { tokenId, owner, description: nft };
    }),
  );
  return { kind: 'token', type, details, limits, existing, description, nfts, deployment, activity };
}

/** Keeps an answer undecoded: that of a foreign contract may be anything, and its length is checked first. */
function asIs(answer: Hex): Hex {
  return answer;
}

/** Ids are 1, 2, 3 and so on without a gap. */
function idsDownFrom(minted: bigint, highest: bigint | null): bigint[] {
  const first = highest !== null && highest < minted ? highest : minted;
  const count = first < BigInt(NFTS_ON_A_PAGE) ? Number(first) : NFTS_ON_A_PAGE;
  return Array.from({ length: count }, (_, index) => first - BigInt(index));
}
