import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import path from 'node:path';

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Several may run side by side. */
const running = new Set();

/**
 * Runs a command to its end and resolves to `{ code, output }`; `code` is 128 + n when signal n ended it.
 * `output` is what it wrote when `keep` is set; it is shown as well when `show` is set too.
 *
 * Ctrl-C reaches the child by itself, since the terminal signals the whole foreground group; npm passes signals on as
 * well. So however many arrive here, the child is sent one SIGTERM and never a second SIGINT, which would end it at
 * once. Then this process waits, so that nothing outlives the command, and ends with its exit code.
 */
export function runChild(command, args, { cwd, env, keep = false, show = true, shell = false }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env,
      shell,
      stdio: keep ? ['inherit', 'pipe', 'pipe'] : 'inherit',
    });
    running.add(child);
    let output = '';
    for (const [from, to] of [
      [child.stdout, process.stdout],
      [child.stderr, process.stderr],
    ]) {
      from?.on('data', (chunk) => {
        output += chunk;
        if (show) to.write(chunk);
      });
    }
    let stopping = false;
    const stop = () => {
      if (!stopping) child.kill('SIGTERM');
      stopping = true;
    };
    const letGo = () => {
      running.delete(child);
      stopSignals.forEach((signal) => process.off(signal, stop));
    };
    stopSignals.forEach((signal) => process.on(signal, stop));
    child.once('error', (error) => {
      letGo();
      reject(error);
    });
    child.once('close', (code, signal) => {
      letGo();
      const exit = code ?? 128 + constants.signals[signal];
      if (!stopping) resolve({ code: exit, output });
      else if (running.size === 0) process.exit(exit);
    });
  });
}

/** Runs commands in the clone with Node 24 and the packages' tools first in PATH. */
export function createRunner(root, { node }) {
  const env = {
    ...process.env,
    PATH: [path.dirname(node), path.join(root, 'node_modules', '.bin'), process.env.PATH].join(
      path.delimiter,
    ),
    HARDHAT_DISABLE_TELEMETRY: 'true',
    // What Node has compiled for one process serves the next, for half a second of CPU less. `npm ci` removes it; where it
    // cannot be written, nothing is kept.
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? path.join(root, 'node_modules', '.cache', 'node'),
  };
  // A script of package.json begins with the bootstrap, which then finds all that it needs.
  const prepared = { ...env, MINTMARK_PREPARED: 'yes' };
  const command = (name) => (name === 'node' ? node : name);
  return {
    /** @returns {Promise<number>} the exit code */
    run: async (name, args) => (await runChild(command(name), args, { cwd: root, env })).code,
    /** Runs a line of package.json's scripts. @returns {Promise<number>} the exit code */
    runScript: async (line) => (await runChild(line, [], { cwd: root, env: prepared, shell: true })).code,
    /** As `runScript`, and keeps what is written instead of showing it. @returns {Promise<{ code: number, output: string }>} */
    readScript: (line) =>
      runChild(line, [], { cwd: root, env: prepared, shell: true, keep: true, show: false }),
  };
}
