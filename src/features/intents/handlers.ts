import { parseAddress, presentAddress } from '../../chain/address.ts';
import { hasVerdict } from '../../engine/index.ts';
import type { Rpc } from '../../chain/rpc/rpc.ts';
import type { Engine, Explanation, Intent } from '../../engine/index.ts';
import { AppError } from '../../errors.ts';
import type { Handlers, Schemas } from '../../http/operation.ts';
import { answerPage } from '../../http/page.ts';
import { ownerOf } from '../../lib/owner.ts';
import type { Owner } from '../../lib/owner.ts';
import type { ExplorerUrl } from '../../chain/chain.ts';
import { presentIntent } from './present.ts';
import { MAX_ATTEMPTS, createBlockTime, presentTimeline } from './timeline.ts';

/** `/intents`. */
export function intentHandlers({
  engine,
  explorerUrl,
  rpc,
}: {
  engine: Engine;
  explorerUrl: ExplorerUrl;
  rpc: Pick<Rpc, 'call'>;
}) {
  const blockTime = createBlockTime(rpc);
  const findOwn = async (owner: Owner, id: string): Promise<Intent> => {
    const intent = await engine.find(owner, id);
    if (!intent) throw new AppError('NOT_FOUND', noIntent(await engine.archivedUntil()));
    return intent;
  };
  return {
    getIntent: async ({ principal, path }) => {
      const intent = await findOwn(ownerOf(principal), path.id);
      const body: Schemas['Intent'] = presentIntent(intent, explorerUrl);
      const explanation = hasVerdict(intent.status) ? undefined : await engine.explain(intent.id);
      if (explanation && !hasVerdict(explanation.intent.status)) body.waiting = presentWaiting(explanation);
      return { status: 200, body };
    },

    getIntentTimeline: async ({ principal, path }) => {
      const intent = await findOwn(ownerOf(principal), path.id);
      const history = await engine.history(intent.number, MAX_ATTEMPTS);
      return {
        status: 200,
        body: { data: await presentTimeline(intent, history, { explorerUrl, blockTime }) },
      };
    },

    listIntents: async ({ principal, query: { status = null, kind = null, contract, ...query } }) => {
      const filter = {
        status,
        kind,
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

/** Whether it was archived or never was is not known any more: who asks is told both. */
function noIntent(archivedUntil: Date | null): string {
  const none = 'No intent of yours has this id';
  if (!archivedUntil) return none;
  return `${none}; those that were finished before ${archivedUntil.toISOString().slice(0, 10)} are archived: ask the operator of the service`;
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
