import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readConfig } from '../../src/config.ts';
import { compose } from '../../src/start/compose.ts';
import type { Composition } from '../../src/start/compose.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { ADMIN } from './admin.ts';
import { createMachine } from './scheduler.ts';
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

/** Of chains that make blocks by time, only for a transaction, and for no price. */
export type Profile = 'profile' | 'profile-on-demand' | 'profile-gasless';

export interface ServiceSettings {
  name: string;
  /** Who signs: one with its key, or several with keystores. */
  signers: readonly { address: string; privateKey: string }[];
  rpcUrls: readonly string[];
  profile: Profile;
}

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
export const profileFile = ({ profile }: Pick<ServiceSettings, 'profile'>): string => here(`${profile}.json`);
/** Of the secrets of webhooks. */
const WEBHOOK_KEY_FILE = here('webhook.key');

export const DATABASE_URL = 'postgres://mintmark@postgres.invalid/mintmark';

function signersOf({ signers }: ServiceSettings): Record<string, string> {
  const [one, ...others] = signers;
  if (others.length === 0) return { SIGNER_KEY: one!.privateKey };
  const files = signers.map(({ address }) => here(`keystores/${address}.json`));
  return { SIGNER_KEYSTORE: files.join(), SIGNER_PASSWORD_FILE: here('keystores/password') };
}

/** Starts a process, as code of a machine of its own. */
export function startProcess(world: World, settings: ServiceSettings): ServiceProcess {
  const { scheduler } = world;
  const machine = createMachine(settings.name);
  let composition: Composition | null = null;
  const started = scheduler.as(machine, async () => {
    const config = readConfig([], {
      DATABASE_URL,
      RPC_URL: settings.rpcUrls.join(),
      ...signersOf(settings),
      OPERATOR_ADMIN: ADMIN.address,
      OPERATOR_ADMIN_DELAY: '0',
      CHAIN_PROFILE: profileFile(settings),
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

/** How long a process may take to stop before it is killed. */
const MAX_STOP_MS = 60_000;
/** After how long the supervisor starts what has ended again. */
const AGAIN_MS = 2_000;

/** SIGTERM. Resolves when the process has ended. */
export async function stopProcess(world: World, { machine, composition }: ServiceProcess): Promise<void> {
  if (composition && !machine.isDead) {
    const stopped = world.scheduler.as(machine, () => composition[Symbol.asyncDispose]());
    await Promise.race([stopped, deathOf(world, machine), sleep(MAX_STOP_MS)]);
  }
  world.kill(machine);
}

/**
 * Starts a process at its place, and again whenever it ends by itself. Resolves when it serves, or when another one has
 * been started in its place.
 */
export async function startSupervised(
  world: World,
  processes: ServiceProcess[],
  { index, settings }: { index: number; settings: ServiceSettings },
): Promise<void> {
  for (;;) {
    if (world.gone.has(settings.name)) return;
    // Two faults may start the same one.
    const former = processes[index];
    if (former) world.kill(former.machine);
    const service = startProcess(world, settings);
    processes[index] = service;
    const isKilled = deathOf(world, service.machine).then(() => null);
    const composition = await Promise.race([service.started.catch(() => null), isKilled]);
    const restart = async (): Promise<void> => {
      if (service.machine.isDead) return;
      world.kill(service.machine);
      await sleep(AGAIN_MS);
    };
    if (composition) {
      void composition.broken.then(restart).then(() => {
        if (processes[index] === service) void startSupervised(world, processes, { index, settings });
      });
      return;
    }
    if (service.machine.isDead) return;
    await restart();
    if (processes[index] !== service) return;
  }
}

const deathOf = (world: World, machine: Machine): Promise<void> =>
  new Promise((resolve) => world.onDeath(machine, resolve));
