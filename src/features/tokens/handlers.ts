import { presentAddress } from '../../chain/address.ts';
import { isSettled } from '../../engine/index.ts';
import type { Intent } from '../../engine/index.ts';
import { decodeCursor, toPage } from '../../http/cursor.ts';
import type { Handlers, Principal, Request, Schemas, Write } from '../../http/operation.ts';
import { answerWrite, sentTransaction } from '../../http/write-answer.ts';
import type { AnsweredIntent, ExplorerUrl } from '../../http/write-answer.ts';
import type { DeploymentArguments, Control, TokenRecord, TokenService } from './service.ts';

const toDeployment = (body: Request<'deployToken'>['body']): DeploymentArguments => ({
  type: body.type,
  name: body.name,
  symbol: body.symbol,
  decimals: body.type === 'ERC20' ? (body.decimals ?? 18) : null,
  baseUri: body.type === 'ERC721' ? (body.baseUri ?? null) : null,
  permissionless: body.isPermissionless ?? true,
});

const presentSummary = (token: TokenRecord): Schemas['TokenSummary'] => ({
  address: presentAddress(token.address),
  type: token.type,
  name: token.name,
  symbol: token.symbol,
  permissionless: token.permissionless,
  createdAt: token.createdAt.toISOString(),
});

/** The token id that an ERC-721 mint answered: the first word of its return data. */
const tokenIdOf = ({ arguments: { type }, result }: Intent): { tokenId?: string } =>
  type === 'ERC721' && result ? { tokenId: String(BigInt(result)) } : {};

/** What the requests of all controls have in common. */
type ControlRequest = { principal: Principal; path: { address: string }; write: Write };

export const tokenHandlers = ({
  tokens,
  explorerUrl,
}: {
  tokens: TokenService;
  explorerUrl: ExplorerUrl;
}) => {
  const applyControl = async ({ principal, path, write }: ControlRequest, control: Control) => {
    const intent = await tokens.control(ownerOf(principal), path.address, control, write);
    return answerWrite(toAnswered(intent), {
      settled: isSettled(intent.status),
      respondAsync: write.respondAsync,
      explorerUrl,
      success: () => ({ status: 200, body: { success: true } }),
    });
  };

  return {
    deployToken: async ({ principal, body, write }) => {
      const intent = await tokens.deploy(ownerOf(principal), toDeployment(body), write);
      const { type, name, symbol } = intent.arguments as unknown as DeploymentArguments;
      return answerWrite(toAnswered(intent), {
        settled: isSettled(intent.status),
        respondAsync: write.respondAsync,
        explorerUrl,
        success: (transaction) => ({
          status: 200,
          body: {
            success: true,
            data: {
              address: presentAddress(intent.contract),
              type,
              name,
              symbol,
              createdAt: intent.createdAt.toISOString(),
              transaction: sentTransaction(transaction),
            },
          },
        }),
      });
    },

    mintToken: async ({ principal, path, body, write }) => {
      const intent = await tokens.mint(
        ownerOf(principal),
        path.address,
        { to: body.owner, amount: body.amount },
        write,
      );
      return answerWrite(toAnswered(intent), {
        settled: isSettled(intent.status),
        respondAsync: write.respondAsync,
        explorerUrl,
        success: (transaction) => ({
          status: 200,
          body: { success: true, data: { ...tokenIdOf(intent), transaction: sentTransaction(transaction) } },
        }),
      });
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

    listTokens: async ({ principal, query: { limit = 20, cursor } }) => {
      const rows = await tokens.list(ownerOf(principal), { before: decodeCursor(cursor), limit: limit + 1 });
      const page = toPage(rows, limit, ({ number }) => number);
      return { status: 200, body: { data: page.rows.map(presentSummary), nextCursor: page.nextCursor } };
    },

    pauseToken: (request) => applyControl(request, { kind: 'pause' }),
    unpauseToken: (request) => applyControl(request, { kind: 'unpause' }),
    lockTransfers: (request) => applyControl(request, { kind: 'lock_transfers' }),
    unlockTransfers: (request) => applyControl(request, { kind: 'unlock_transfers' }),
    freezeAccount: (request) => applyControl(request, { kind: 'freeze', ...request.body }),
    unfreezeAccount: (request) => applyControl(request, { kind: 'unfreeze', ...request.body }),
    approveAccount: (request) => applyControl(request, { kind: 'approve_account', ...request.body }),
    unapproveAccount: (request) => applyControl(request, { kind: 'unapprove_account', ...request.body }),
  } satisfies Partial<Handlers>;
};

const ownerOf = ({ accountId, environment }: { accountId: string; environment: 'live' | 'sandbox' }) => ({
  accountId,
  environment,
});
const toAnswered = (intent: Intent): AnsweredIntent => ({
  ...intent,
  kind: intent.kind as AnsweredIntent['kind'],
});
