import { fileURLToPath } from 'node:url';
import { readConfig } from '../../src/config.ts';
import { compose } from '../../src/start/compose.ts';
import type { Composition } from '../../src/start/compose.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import type { Machine } from './scheduler.ts';
import type { World } from './world.ts';

/** A process of the service in a world: the composition as it is shipped, all but the HTTP server in front. */
export interface ServiceProcess {
  machine: Machine;
  settings: ServiceSettings;
  /** Null until it has started. */
  composition: Composition | null;
  /** Resolves when it serves; rejects with the sentence for which it does not start. */
  started: Promise<Composition>;
}

export interface ServiceSettings {
  name: string;
  signerKey: string;
  operatorAdmin: string;
  rpcUrls: readonly string[];
}

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
/** Of the secrets of webhooks. */
export const WEBHOOK_KEY_FILE = here('webhook.key');

/** Starts a process, as code of a machine of its own. */
export function startProcess(world: World, settings: ServiceSettings): ServiceProcess {
  const { scheduler } = world;
  const machine: Machine = { name: settings.name, isDead: false, pausedUntil: 0, clockStepMs: 0 };
  let composition: Composition | null = null;
  const started = scheduler.as(machine, async () => {
    const config = readConfig([], {
      DATABASE_URL: 'postgres://mintmark@postgres.invalid/mintmark',
      RPC_URL: settings.rpcUrls.join(),
      SIGNER_KEY: settings.signerKey,
      OPERATOR_ADMIN: settings.operatorAdmin,
      OPERATOR_ADMIN_DELAY: '0',
      CHAIN_PROFILE: here('profile.json'),
      WEBHOOK_SECRET_KEY_FILE: WEBHOOK_KEY_FILE,
      WEBHOOK_ALLOW_PRIVATE: 'true',
      EXPLORER: 'off',
      EXPLORER_URL: 'https://explorer.example',
      REPLICA: settings.name,
      LOG_LEVEL: 'info',
    });
    const log = createLogger('info', { write: (line) => world.log(line) }, settings.name);
    composition = await compose(config, log, {});
    return composition;
  });
  // Whoever needs it says so; one that is killed before never starts.
  started.catch((error: unknown) => world.trace.note('start', settings.name, String(error)));
  return {
    machine,
    settings,
    get composition() {
      return composition;
    },
    started,
  };
}

/** What the supervisor does with a process that has ended. */
export function restartProcess(world: World, { settings }: ServiceProcess): ServiceProcess {
  return startProcess(world, settings);
}
