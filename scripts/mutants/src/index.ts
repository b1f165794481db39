import type { MutantList } from '../mutant.ts';
import { admin } from './admin.ts';
import { archive } from './archive.ts';
import { chain } from './chain.ts';
import { config } from './config.ts';
import { db } from './db.ts';
import { embedded } from './embedded.ts';
import { accept } from './engine/accept.ts';
import { lane } from './engine/lane.ts';
import { send } from './engine/send.ts';
import { settle } from './engine/settle.ts';
import { startup } from './engine/startup.ts';
import { store } from './engine/store.ts';
import { accounts } from './features/accounts.ts';
import { audit } from './features/audit.ts';
import { bounds } from './features/bounds.ts';
import { collections } from './features/collections.ts';
import { explorer } from './features/explorer.ts';
import { metering } from './features/metering.ts';
import { tokens } from './features/tokens.ts';
import { webhooks } from './features/webhooks.ts';
import { http } from './http.ts';
import { start } from './start.ts';
import { telemetry } from './telemetry.ts';

/** The mutants of `src`; an area is a room of it. */
export const SRC_MUTANTS: MutantList = {
  http,
  'features/accounts': accounts,
  'features/audit': audit,
  'features/tokens': tokens,
  'features/tokens/bounds': bounds,
  'features/collections': collections,
  'features/metering': metering,
  'features/webhooks': webhooks,
  'features/explorer': explorer,
  'engine/accept': accept,
  'engine/lane': lane,
  'engine/send': send,
  'engine/settle': settle,
  'engine/store': store,
  'engine/startup': startup,
  chain,
  db,
  start,
  config,
  telemetry,
  embedded,
  admin,
  archive,
};
