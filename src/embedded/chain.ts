import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { getCompileCacheDir } from 'node:module';
import { fileURLToPath } from 'node:url';

export { embeddedAccounts } from './accounts.ts';

interface EmbeddedChainOptions {
  /** Port on 127.0.0.1; 0 lets the system choose. */
  port: number;
  log: (message: string) => void;
  /** Seconds between blocks. Without it each transaction makes a block at once. */
  blockTimeSeconds?: number;
}

export interface EmbeddedChain extends AsyncDisposable {
  url: string;
  chainId: number;
  /** Resolves with one sentence when the chain ends without `stop`. */
  ended: Promise<string>;
  /** Ends the chain and waits for its end; its data is gone. May be called twice. */
  stop(): Promise<void>;
}

/** Arguments of the chain's process. */
export interface ChainProcessOptions {
  port: number;
  chainId: number;
  blockTimeSeconds?: number;
}

/** Message of the chain's process: that it serves, or why it cannot. */
export type ChainMessage =
  { kind: 'listening'; port: number } | { kind: 'failed'; code: string | undefined; message: string };

const CHAIN_ID = 31_337;
/** After this time the chain's process is killed. */
const STOP_TIMEOUT_MS = 3_000;

/**
 * Starts an empty chain in a process of its own. It ends with this process, even when that is killed. It has the
 * canonical deterministic deployer, and ether on the `embeddedAccounts`.
 * @throws Error with one sentence when the port is taken or the chain does not start
 */
export async function startEmbeddedChain({
  port,
  log,
  blockTimeSeconds,
}: EmbeddedChainOptions): Promise<EmbeddedChain> {
  const options: ChainProcessOptions = {
    port,
    chainId: CHAIN_ID,
    ...(blockTimeSeconds ? { blockTimeSeconds } : {}),
  };
  const cache = getCompileCacheDir();
  const child = fork(
    fileURLToPath(new URL('./chain-process.ts', import.meta.url)),
    [JSON.stringify(options)],
    {
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
      execArgv: [],
      // Nothing more of this process's environment: it may contain keys, and Hardhat reads variables of its own.
      env: { HARDHAT_DISABLE_TELEMETRY: 'true', ...(cache && { NODE_COMPILE_CACHE: cache }) },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    },
  );
  const reason = keepReason(child);
  const exit = once(child, 'exit');
  const message = await Promise.race([
    once(child, 'message').then(([first]) => first as ChainMessage),
    exit.then((): ChainMessage => ({ kind: 'failed', code: undefined, message: reason() })),
  ]);
  if (message.kind === 'failed') {
    await exit;
    throw new Error(explain(message, port));
  }
  let stopping: Promise<void> | undefined;
  const end = async () => {
    if (child.connected) child.disconnect();
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await exit;
    clearTimeout(timer);
  };
  const stop = (): Promise<void> => (stopping ??= end());
  log(`The embedded chain is process ${child.pid}.`);
  return {
    url: `http://127.0.0.1:${message.port}`,
    chainId: CHAIN_ID,
    ended: new Promise((resolve) => {
      void exit.then(() => {
        if (!stopping) resolve(`The embedded chain has ended: ${reason()}`);
      });
    }),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function explain({ code, message }: { code: string | undefined; message: string }, port: number): string {
  const elsewhere = 'set EMBEDDED_CHAIN_PORT to another port';
  if (code === 'EADDRINUSE') {
    return `Port ${port} is taken by another program, so the embedded chain cannot start; ${elsewhere} or end that program.`;
  }
  if (code === 'EACCES') return `The embedded chain may not use port ${port}; ${elsewhere}.`;
  return `The embedded chain did not start: ${message}`;
}

/** Keeps the end of the process's error output. Returns a function that finds the reason of its end there. */
function keepReason(child: ChildProcess): () => string {
  let text = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    text = (text + chunk.toString()).slice(-4_000);
  });
  return () => /^\w*Error.*$/m.exec(text)?.[0] ?? (text.trim().split('\n').at(-1) || 'it gave no reason.');
}
