import { parseAddress, presentAddress } from '../../chain/address.ts';
import { isSettled } from '../../engine/index.ts';
import type { Engine, Explanation } from '../../engine/index.ts';
import { AppError } from '../../errors.ts';
import type { Handlers, Schemas } from '../../http/operation.ts';
import { answerPage } from '../../http/page.ts';
import { ownerOf } from '../../lib/owner.ts';
import type { ExplorerUrl } from '../../chain/chain.ts';
import { presentIntent } from './present.ts';

/** `/intents`. */
export function intentHandlers({ engine, explorerUrl }: { engine: Engine; explorerUrl: ExplorerUrl }) {
  return {
    getIntent: async ({ principal, path }) => {
      const intent = await engine.find(ownerOf(principal), path.id);
      if (!intent) throw new AppError('NOT_FOUND', 'No intent of yours has this id');
      const body: Schemas['Intent'] = presentIntent(intent, explorerUrl);
      const explanation = isSettled(intent.status) ? undefined : await engine.explain(intent.id);
      if (explanation && !isSettled(explanation.intent.status)) body.waiting = presentWaiting(explanation);
      return { status: 200, body };
    },

    listIntents: async ({ principal, query: { status, contract, ...query } }) => {
      const filter = {
        status: status ?? null,
        contract: contract === undefined ? null : parseAddress(contract, 'contract'),
      };
      return answerPage(query, {
        read: (page) => engine.list(ownerOf(principal), { ...filter, ...page }),
        positionOf: ({ number }) => number,
        present: (intent) => presentIntent(intent, explorerUrl),
      });
    },

    cancelIntent: async ({ principal, path, write }) => {
      const intent = await engine.cancel(ownerOf(principal), path.id, write);
      return { status: 200, body: presentIntent(intent, explorerUrl) };
    },
  } satisfies Partial<Handlers>;
}

function presentWaiting(explanation: Explanation): Schemas['IntentWaiting'] {
  const { lane, transaction, blocking, since, cause, action } = explanation;
  return {
    signer: lane ? presentAddress(lane.signer) : null,
    nonce: transaction ? String(transaction.nonce) : null,
    blockingNonce: blocking ? String(blocking.nonce) : null,
    since: since?.toISOString() ?? null,
    cause,
    action,
  };
}
