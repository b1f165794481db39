import { randomBytes } from 'node:crypto';
import { readConfig } from './config.ts';
import type { Config } from './config.ts';
import { createLogger } from './telemetry/logger.ts';
import type { Logger } from './telemetry/logger.ts';
import { defaultEndTimes, endInTime } from './start/end-in-time.ts';
import { notifySupervisor } from './start/notify-supervisor.ts';
import { startEmbedded } from './start/embedded.ts';
import type { Service } from './start/service.ts';
import { welcome } from './start/banner.ts';

function say(text: string): void {
  return void process.stdout.write(`${text}\n`);
}

/** On a terminal people read the log, everywhere else programs do. */
async function openLog({ logLevel, replica }: Config): Promise<Logger> {
  if (!process.stdout.isTTY) return createLogger(logLevel, undefined, replica);
  const { createTerminal } = await import('./telemetry/pretty-log.ts');
  return createLogger(
    logLevel,
    createTerminal((text) => process.stdout.write(text)),
  );
}

async function main(): Promise<void> {
  const startedAt = performance.now();
  const config = readConfig(process.argv.slice(2));
  if (config.developing && config.bootstrapInvites.length === 0) {
    config.bootstrapInvites.push(randomBytes(16).toString('base64url'));
  }
  const log = await openLog(config);

  const stopped = new Promise<string>((resolve) => {
    // A second Ctrl-C has no handler and ends the process at once. The other signals may come twice, from the process
    // group and from npm.
    process.once('SIGINT', resolve);
    for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, resolve);
  });
  if (!config.rpcUrls) say('Starting a database and a chain, and deploying the contracts ...');
  const starting = start(config, log);
  // A start that is interrupted is completed and then stopped, in the same time.
  void stopped.then(() => endSoon(config, starting));
  const started = await Promise.race([starting, stopped.then(() => null)]);
  const service: Service = started ?? (await starting);
  if (started) {
    say(welcome(config, service, Math.round(performance.now() - startedAt)));
    void notifySupervisor(config.notifySocket, log);
    void service.warmUp();
    const reason = await Promise.race([stopped, service.context.broken]);
    if (!['SIGINT', 'SIGTERM', 'SIGHUP'].includes(reason)) {
      process.exitCode = 1;
      process.stderr.write(`${reason}\n`);
      endSoon(config, starting);
    }
  }
  log.info('stopping: requests that are under way may end');
  await service.stop();
}

/** Loads the service while its database and its chain start: that takes this process as long as them. */
async function start(config: Config, log: Logger): Promise<Service> {
  const embedded = startEmbedded(config, log);
  await embedded.underWay;
  const { startService } = await import('./start/service.ts');
  return startService(config, log, { embedded });
}

/** Ends the process when stopping it takes too long. */
function endSoon({ waitTimeoutMs }: Config, starting: Promise<Service>): void {
  let findHopeless = (): string | null => 'the start was not complete';
  void starting.then(
    ({ context }) => (findHopeless = () => (context.silentForMs() > 0 ? 'the database is silent' : null)),
    () => undefined,
  );
  endInTime(
    defaultEndTimes(waitTimeoutMs),
    () => findHopeless(),
    (sentence) => {
      process.stderr.write(`${sentence}\n`);
      process.exit(1);
    },
  );
}

main().then(
  // Nothing is open any more; what a library may still keep alive must not keep the process.
  () => process.exit(),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
