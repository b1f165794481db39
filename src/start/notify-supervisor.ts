import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Logger } from '../telemetry/logger.ts';

const run = promisify(execFile);
const TIMEOUT_MS = 10_000;

/**
 * Tells systemd that the service is ready, when it waits for that (`Type=notify`): `systemctl restart` returns then,
 * and not before. Node cannot send a datagram to a Unix socket, so systemd's own program does; the unit needs
 * `NotifyAccess=all`, since the sender is not the process that systemd started.
 */
export async function notifySupervisor(notifySocket: string | null, log: Logger): Promise<void> {
  if (notifySocket === null) return;
  try {
    await run('systemd-notify', ['--ready'], { timeout: TIMEOUT_MS });
  } catch (error) {
    log.error(
      { err: error },
      'systemd could not be told that the service is ready: is systemd-notify in the PATH?',
    );
  }
}
