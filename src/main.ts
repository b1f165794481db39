import { randomBytes } from 'node:crypto';
import { readConfig } from './config.ts';
import { createLogger } from './logger.ts';
import { startService } from './service.ts';
import type { Service } from './service.ts';
import { welcome } from './welcome.ts';

const say = (text: string): void => void process.stdout.write(`${text}\n`);

async function main(): Promise<void> {
  const startedAt = performance.now();
  const config = readConfig(process.argv.slice(2));
  if (!config.rpcUrls && config.bootstrapInvites.length === 0) {
    config.bootstrapInvites.push(randomBytes(9).toString('base64url'));
  }
  const log = createLogger(config.logLevel);

  const stopped = new Promise<string>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve(signal));
  });
  const starting = startService(config, log);
  const started = await Promise.race([starting, stopped.then(() => null)]);
  const service: Service = started ?? (await starting);
  if (started) {
    say(welcome(config, service, Math.round(performance.now() - startedAt)));
    const reason = await Promise.race([stopped, service.context.broken]);
    if (reason !== 'SIGINT' && reason !== 'SIGTERM') {
      process.exitCode = 1;
      process.stderr.write(`${reason}\n`);
    }
  }
  log.info('stopping: requests that are under way may end');
  await service.stop();
}

main().then(
  // Nothing is open any more; what a library may still keep alive must not keep the process.
  () => process.exit(),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
