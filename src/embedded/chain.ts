import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export { embeddedAccounts } from './accounts.ts';

export type EmbeddedChainOptions = {
  /** Port on 127.0.0.1; 0 lets the system choose. */
  port: number;
  log: (message: string) => void;
  /** Seconds between blocks. Without it every transaction makes its block at once. */
  blockTimeSeconds?: number;
};

export type EmbeddedChain = {
  url: string;
  chainId: number;
  /** Resolves with one sentence when the chain ends without being asked to. */
  ended: Promise<string>;
  /** Ends the chain, with all that is on it, and waits for its end. May be called twice. */
  stop(): Promise<void>;
};

/** What the chain's process is told at its start. */
export type ChainProcessOptions = {
  port: number;
  chainId: number;
  mnemonic: string;
  blockTimeSeconds?: number;
};

/** What the chain's process tells: that it serves, or why it cannot. */
export type ChainMessage =
  { kind: 'listening'; port: number } | { kind: 'failed'; code: string | undefined; message: string };

const chainId = 31337;
const mnemonic = 'test test test test test test test test test test test junk';
/** Milliseconds that the chain's process may take to leave by itself. */
const farewellTime = 3_000;

/**
 * Starts an empty chain in a process of its own. It ends with this process, however that ends.
 * The canonical deterministic deployer is in its place, and `embeddedAccounts` are rich.
 * @throws Error with one sentence when the port is taken or the chain does not start
 */
export async function startEmbeddedChain({
  port,
  log,
  blockTimeSeconds,
}: EmbeddedChainOptions): Promise<EmbeddedChain> {
  const options: ChainProcessOptions = {
    port,
    chainId,
    mnemonic,
    ...(blockTimeSeconds ? { blockTimeSeconds } : {}),
  };
  const child = fork(
    fileURLToPath(new URL('./chain-process.ts', import.meta.url)),
    [JSON.stringify(options)],
    {
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
      execArgv: [],
      // Nothing of this process's environment: it may hold keys, and Hardhat reads variables of its own.
      env: { HARDHAT_DISABLE_TELEMETRY: 'true' },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    },
  );
  const said = keepLastLines(child);
  const exit = once(child, 'exit');
  const message = await Promise.race([
    once(child, 'message').then(([first]) => first as ChainMessage),
    exit.then((): ChainMessage => ({ kind: 'failed', code: undefined, message: said() })),
  ]);
  if (message.kind === 'failed') {
    await exit;
    throw new Error(explain(message, port));
  }
  let stopping: Promise<void> | undefined;
  const end = async () => {
    if (child.connected) child.disconnect();
    const impatience = setTimeout(() => child.kill('SIGKILL'), farewellTime);
    await exit;
    clearTimeout(impatience);
  };
  log(`The embedded chain is process ${child.pid}.`);
  return {
    url: `http://127.0.0.1:${message.port}`,
    chainId,
    ended: new Promise((resolve) => {
      void exit.then(() => {
        if (!stopping) resolve(`The embedded chain has ended: ${said()}`);
      });
    }),
    stop: () => (stopping ??= end()),
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

/** Keeps the end of what the process writes to its error output, for the sentence that tells why it ended. */
function keepLastLines(child: ChildProcess): () => string {
  let text = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    text = (text + chunk.toString()).slice(-4_000);
  });
  return () => /^\w*Error.*$/m.exec(text)?.[0] ?? (text.trim().split('\n').at(-1) || 'it gave no reason.');
}
