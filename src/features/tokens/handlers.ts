import type { TokenLimits } from '../../chain/abi/bounds.ts';
import { presentAddress } from '../../chain/address.ts';
import type { Intent } from '../../engine/index.ts';
import type { Handlers, Principal, Request, Schemas } from '../../http/operation.ts';
import { answerPage } from '../../http/page.ts';
import { ownerOf } from '../../lib/owner.ts';
import type { WriteOptions } from '../../lib/write-options.ts';
import { sentTransaction } from '../answer-intent.ts';
import type { AnswerIntent } from '../answer-intent.ts';
import { readDeployment, readAskedMint } from '../intent-kinds.ts';
import { TOKEN_STANDARDS } from '../../chain/token-standards.ts';
import type { Control } from './controls.ts';
import type { AskedDeployment } from './plan-deployment.ts';
import type { TokenService } from './service.ts';
import type { TokenRecord } from './store.ts';

interface TokenHandlerParts {
  tokens: TokenService;
  answerIntent: AnswerIntent;
}

/** `/tokens`: deploying, minting, reading; and the controls below it. */
export function tokenHandlers({ tokens, answerIntent }: TokenHandlerParts) {
  return {
    deployToken: async ({ principal, body, write }) => {
      const intent = await tokens.deploy(ownerOf(principal), toDeployment(body), write);
      return answerIntent(intent, write, (transaction) => ({
        status: 200,
        body: {
          success: true,
          data: {
            ...presentDeployment(intent),
            intentId: intent.id,
            transaction: sentTransaction(transaction),
          },
        },
      }));
    },

    mintToken: async ({ principal, path, body, write }) => {
      const mint = { to: body.owner, amount: body.amount };
      const intent = await tokens.mint(ownerOf(principal), path.address, mint, write);
      return answerIntent(intent, write, (transaction) => ({
        status: 200,
        // Clients compare this body as a whole, so the id of the intent stays in `Intent-Id` here.
        body: { success: true, data: { ...mintedId(intent), transaction: sentTransaction(transaction) } },
      }));
    },

    getToken: async ({ principal, path }) => {
      const { token, state } = await tokens.read(ownerOf(principal), path.address);
      return {
        status: 200,
        body: {
          address: presentAddress(token.address),
          type: token.type,
          name: token.name,
          symbol: token.symbol,
          paused: state.paused,
          transferLocked: state.transferLocked,
          permissionless: token.permissionless,
          owner: presentAddress(state.owner),
          creator: token.creator,
        },
      };
    },

    listTokens: ({ principal, query: { search = null, type = null, ...query } }) =>
      answerPage(query, {
        read: (page) => tokens.list(ownerOf(principal), { search, type, ...page }),
        positionOf: ({ number }) => number,
        present: presentSummary,
      }),

    ...controlHandlers({ tokens, answerIntent }),
    ...boundHandlers({ tokens, answerIntent }),
  } satisfies Partial<Handlers>;
}

/** What the requests of all controls have in common. */
interface ControlRequest {
  principal: Principal;
  path: { address: string };
  write: WriteOptions;
}

/** `/tokens/{address}/pause`, `/freeze` and the like. */
function controlHandlers({ tokens, answerIntent }: TokenHandlerParts) {
  const applyControl = async ({ principal, path, write }: ControlRequest, control: Control) => {
    const intent = await tokens.control(ownerOf(principal), path.address, control, write);
    return answerIntent(intent, write, () => ({ status: 200, body: { success: true } }));
  };
  return {
    closeMint: (request) => applyControl(request, { kind: 'close_mint' }),
    reopenMint: (request) => applyControl(request, { kind: 'reopen_mint' }),
    renounceControls: (request) => applyControl(request, { kind: 'renounce_controls' }),
    restoreControls: (request) => applyControl(request, { kind: 'restore_controls' }),
    pauseToken: (request) => applyControl(request, { kind: 'pause' }),
    unpauseToken: (request) => applyControl(request, { kind: 'unpause' }),
    lockTransfers: (request) => applyControl(request, { kind: 'lock_transfers' }),
    unlockTransfers: (request) => applyControl(request, { kind: 'unlock_transfers' }),
    freezeAccount: (request) => applyControl(request, { kind: 'freeze', ...request.body }),
    unfreezeAccount: (request) => applyControl(request, { kind: 'unfreeze', ...request.body }),
    approveAccount: (request) => applyControl(request, { kind: 'approve_account', ...request.body }),
    unapproveAccount: (request) => applyControl(request, { kind: 'unapprove_account', ...request.body }),
  } satisfies Partial<Handlers>;
}

/** What bounds a token, and what the bounds allow. */
function boundHandlers({ tokens, answerIntent }: TokenHandlerParts) {
  const answer = (intent: Intent, write: WriteOptions) =>
    answerIntent(intent, write, () => ({ status: 200, body: { success: true } }));
  return {
    setMintLimit: async ({ principal, path, body, write }) =>
      answer(await tokens.setMintLimit(ownerOf(principal), path.address, body, write), write),
    forceTransfer: async ({ principal, path, body, write }) =>
      answer(await tokens.forceTransfer(ownerOf(principal), path.address, body, write), write),
    setRoyalty: async ({ principal, path, body, write }) =>
      answer(await tokens.setRoyalty(ownerOf(principal), path.address, body, write), write),

    getTokenLimits: async ({ principal, path }) => ({
      status: 200,
      body: presentLimits(await tokens.limits(ownerOf(principal), path.address)),
    }),

    getTokenAccount: async ({ principal, path }) => {
      const { account, frozen, approved, balance } = await tokens.marks(
        ownerOf(principal),
        path.address,
        path.account,
      );
      return {
        status: 200,
        body: { account: presentAddress(account), frozen, approved, balance: String(balance) },
      };
    },
  } satisfies Partial<Handlers>;
}

function presentLimits(limits: TokenLimits): Schemas['TokenLimits'] {
  const { totalSupply, maxSupply, mintLimit, mintableNow, royalty } = limits;
  const { mintClosed, metadataFrozen, controlsRenounced, recoverable } = limits;
  return {
    totalSupply: String(totalSupply),
    maxSupply: presentBound(maxSupply),
    mintLimitPerDay: presentBound(mintLimit),
    mintableNow: presentBound(mintableNow),
    fullAt: presentTime(limits.fullAt),
    mintedToday: String((mintLimit ?? 0n) - (mintableNow ?? 0n)),
    mintClosed,
    mintClosesForGoodAt: presentTime(limits.mintClosedForGoodAt),
    metadataFrozen,
    metadataFrozenForGoodAt: presentTime(limits.metadataFrozenForGoodAt),
    controlsRenounced,
    controlsRenouncedForGoodAt: presentTime(limits.controlsRenouncedForGoodAt),
    recoverable,
    royalty: royalty && { ...royalty, receiver: presentAddress(royalty.receiver) },
  };
}

const presentBound = (bound: bigint | null): string | null => (bound === null ? null : String(bound));
const presentTime = (time: Date | null): string | null => time?.toISOString() ?? null;

function toDeployment(body: Request<'deployToken'>['body']): AskedDeployment {
  return {
    type: body.type,
    name: body.name,
    symbol: body.symbol,
    ...TOKEN_STANDARDS[body.type].readOptions(body),
    permissionless: body.isPermissionless ?? true,
    bounds: body,
  };
}

function presentDeployment(intent: Intent) {
  const { type, name, symbol } = readDeployment(intent)!;
  return {
    address: presentAddress(intent.contract),
    type,
    name,
    symbol,
    createdAt: intent.createdAt.toISOString(),
  };
}

function presentSummary(token: TokenRecord): Schemas['TokenSummary'] {
  return {
    address: presentAddress(token.address),
    type: token.type,
    name: token.name,
    symbol: token.symbol,
    decimals: token.decimals,
    permissionless: token.permissionless,
    createdAt: token.createdAt.toISOString(),
  };
}

/** The id that a mint returned, where the standard has ids: the first word of its return data. */
function mintedId(intent: Intent): { tokenId?: string } {
  const hasTokenIds = TOKEN_STANDARDS[readAskedMint(intent)!.type].hasTokenIds;
  return hasTokenIds && intent.result ? { tokenId: String(BigInt(intent.result)) } : {};
}
