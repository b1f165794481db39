/**
 * The embedded chain: a Hardhat node in a process of its own, so that executing contracts does not block the service.
 * `chain.ts` forks it with its options as one JSON argument, receives `ChainMessage`s, and ends it by disconnecting.
 */
import http from 'node:http';
import type { Server } from 'node:http';
import { fileURLToPath } from 'node:url';
import { createHardhatRuntimeEnvironment } from 'hardhat/hre';
import { embeddedAccounts } from './accounts.ts';
import { DETERMINISTIC_DEPLOYER } from '../lib/deterministic-deployer.ts';
import type { ChainMessage, ChainProcessOptions } from './chain.ts';
import { refusePages } from './refuse-pages.ts';

// Only the parent ends this process: Ctrl-C in a terminal reaches it too, while the service still needs the chain.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.once('disconnect', () => process.exit(0));

// Hardhat's server does not handle the error of a port that is taken.
process.once('uncaughtException', (error: NodeJS.ErrnoException) => {
  send({ kind: 'failed', code: error.code, message: error.message }, () => process.exit(1));
});

function send(message: ChainMessage, done: () => void = () => undefined): void {
  if (process.connected) process.send?.(message, done);
  else process.exit(1);
}

const BALANCE_WEI = (10n ** 24n).toString();
const options = JSON.parse(process.argv[2] ?? '{}') as ChainProcessOptions;

const hardhat = await createHardhatRuntimeEnvironment({
  // A folder that is never there. Of a compiled project Hardhat parses what the compiler wrote, some 60 MB, before it
  // serves: for half a second and more, and for stack traces that the service does not read.
  paths: { artifacts: fileURLToPath(new URL('./no-artifacts', import.meta.url)) },
  networks: {
    embedded: {
      type: 'edr-simulated',
      chainType: 'l1',
      chainId: options.chainId,
      // By their keys: Hardhat takes a quarter of a second of CPU to derive them from the mnemonic.
      accounts: embeddedAccounts.map(({ privateKey }) => ({ privateKey, balance: BALANCE_WEI })),
      // There may be several blocks a second, with the real time.
      allowBlocksWithSameTimestamp: true,
      mining: options.blockTimeSeconds
        ? { auto: false, interval: options.blockTimeSeconds * 1000 }
        : { auto: true },
    },
  },
});
const server = await guarded(() => hardhat.network.createServer('embedded', '127.0.0.1', options.port));
const { port } = await server.listen();
await putDeployer(`http://127.0.0.1:${port}`);
send({ kind: 'listening', port });

/** Makes Hardhat's server one that refuses pages. It lets nobody at its HTTP server, so that is taken as it is made. */
async function guarded<Made>(make: () => Promise<Made>): Promise<Made> {
  const { createServer } = http;
  const servers: Server[] = [];
  Object.assign(http, {
    createServer: () => {
      const made = createServer();
      servers.push(made);
      return made;
    },
  });
  const made = await make();
  Object.assign(http, { createServer });
  if (servers.length !== 1) throw new Error('The HTTP server of the embedded chain was not found.');
  servers.forEach(refusePages);
  return made;
}

/** Puts the deployer on the chain, by JSON-RPC: the server does not give its provider away. */
async function putDeployer(url: string): Promise<void> {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'hardhat_setCode',
    params: [DETERMINISTIC_DEPLOYER.address, DETERMINISTIC_DEPLOYER.code],
  });
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  const { error } = (await response.json()) as { error?: { message: string } };
  if (error) throw new Error(error.message);
}
