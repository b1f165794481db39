import { batchesTooLarge, refusedBatches } from './batches.ts';
import { bodiesWithoutCredential, endlessBody, unfinishedBodies } from './bodies.ts';
import { heavyPages } from './explorer.ts';
import { freeRows } from './free-rows.ts';
import { burningReceivers, fickleReceiver, freeWrites, greedyReceiver, pricedReceiver } from './gas.ts';
import { manyKeys, sandboxWrites } from './limits.ts';
import type { Attack } from './outcome.ts';
import { ownChanges } from './own-changes.ts';
import { signIns, takenEmails } from './passwords.ts';
import { previews } from './previews.ts';
import { contractReads, unmintedTokens } from './public-reads.ts';
import { longQueue, openIntents } from './queue.ts';
import { hangingReceivers, webhookBacklog } from './webhooks.ts';

/** Every attack of the table, in its order. */
export const ATTACKS: Record<string, Attack> = {
  'free writes': freeWrites,
  'receiver by price': pricedReceiver,
  'receiver by gas left': greedyReceiver,
  'receiver by block': fickleReceiver,
  'receivers of an issuer': burningReceivers,
  'batches too large': batchesTooLarge,
  'bodies without credential': bodiesWithoutCredential,
  'unfinished bodies': unfinishedBodies,
  'endless body': endlessBody,
  'sign-ins': signIns,
  'taken e-mails': takenEmails,
  'long queue': longQueue,
  'hanging receivers': hangingReceivers,
  'webhook backlog': webhookBacklog,
  'heavy pages': heavyPages,
  'many keys': manyKeys,
  'open intents': openIntents,
  'sandbox writes': sandboxWrites,
  'free rows': freeRows,
  'own changes': ownChanges,
  previews,
  'refused batches': refusedBatches,
  'contract reads': contractReads,
  'unminted tokens': unmintedTokens,
};
