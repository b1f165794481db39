import { parseAddress, presentAddress } from '../../chain/address.ts';
import { isSettled } from '../../engine/index.ts';
import type { Engine, Explanation } from '../../engine/index.ts';
import { AppError } from '../../errors.ts';
import { decodeCursor, toPage } from '../../http/cursor.ts';
import type { Handlers, Schemas } from '../../http/operation.ts';
import type { ExplorerUrl } from '../../http/write-answer.ts';
import { presentIntent } from './present.ts';

const presentWaiting = ({
  lane,
  transaction,
  blocking,
  since,
  cause,
  action,
}: Explanation): Schemas['IntentWaiting'] => ({
  signer: lane ? presentAddress(lane.signer) : null,
  nonce: transaction ? String(transaction.nonce) : null,
  blockingNonce: blocking ? String(blocking.nonce) : null,
  since: since?.toISOString() ?? null,
  cause,
  action,
});

export const intentHandlers = ({ engine, explorerUrl }: { engine: Engine; explorerUrl: ExplorerUrl }) =>
  ({
    getIntent: async ({ principal: { accountId, environment }, path }) => {
      const intent = await engine.find({ accountId, environment }, path.id);
      if (!intent) throw new AppError('NOT_FOUND', 'No intent of yours has this id');
      const body: Schemas['Intent'] = presentIntent(intent, explorerUrl);
      const explanation = isSettled(intent.status) ? undefined : await engine.explain(intent.id);
      if (explanation && !isSettled(explanation.intent.status)) body.waiting = presentWaiting(explanation);
      return { status: 200, body };
    },

    listIntents: async ({ principal: { accountId, environment }, query }) => {
      const { status, contract, cursor, limit = 20 } = query;
      const rows = await engine.list(
        { accountId, environment },
        {
          status: status ?? null,
          contract: contract === undefined ? null : parseAddress(contract, 'contract'),
          before: decodeCursor(cursor),
          limit: limit + 1,
        },
      );
      const page = toPage(rows, limit, ({ number }) => number);
      return {
        status: 200,
        body: {
          data: page.rows.map((intent) => presentIntent(intent, explorerUrl)),
          nextCursor: page.nextCursor,
        },
      };
    },

    cancelIntent: async ({ principal: { accountId, environment }, path, write }) => {
      const intent = await engine.cancel({ accountId, environment }, path.id, write.idempotency);
      return { status: 200, body: presentIntent(intent, explorerUrl) };
    },
  }) satisfies Partial<Handlers>;
