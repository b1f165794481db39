import { presentAddress } from '../../chain/address.ts';
import { isSettled } from '../../engine/index.ts';
import type { Intent } from '../../engine/index.ts';
import { decodeCursor, toPage } from '../../http/cursor.ts';
import type { Handlers, Request, Schemas } from '../../http/operation.ts';
import { answerWrite, sentTransaction } from '../../http/write-answer.ts';
import type { AnsweredIntent, ExplorerUrl } from '../../http/write-answer.ts';
import type { DeploymentArguments, TokenRecord, TokenService } from './service.ts';

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

export const tokenHandlers = ({ tokens, explorerUrl }: { tokens: TokenService; explorerUrl: ExplorerUrl }) =>
  ({
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
          owner: state.owner,
          creator: token.creator,
        },
      };
    },

    listTokens: async ({ principal, query: { limit = 20, cursor } }) => {
      const rows = await tokens.list(ownerOf(principal), { before: decodeCursor(cursor), limit: limit + 1 });
      const page = toPage(rows, limit, ({ number }) => number);
      return { status: 200, body: { data: page.rows.map(presentSummary), nextCursor: page.nextCursor } };
    },
  }) satisfies Partial<Handlers>;

const ownerOf = ({ accountId, environment }: { accountId: string; environment: 'live' | 'sandbox' }) => ({
  accountId,
  environment,
});
const toAnswered = (intent: Intent): AnsweredIntent => ({
  ...intent,
  kind: intent.kind as AnsweredIntent['kind'],
});
