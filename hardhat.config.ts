import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import hardhatVerify from '@nomicfoundation/hardhat-verify';
import { configVariable, defineConfig } from 'hardhat/config';
import type { HardhatPlugin } from 'hardhat/types/plugins';

/**
 * How much is tried: by `npm test`, by `npm run test:contracts`, to find out what is covered, and by `npm run
 * test:contracts:deep`.
 */
const efforts = {
  quick: { fuzz: { runs: 64 }, invariant: { runs: 10, depth: 200 } },
  normal: { fuzz: { runs: 256 }, invariant: { runs: 50, depth: 200 } },
  coverage: { fuzz: { runs: 32 }, invariant: { runs: 5, depth: 200 } },
  deep: { fuzz: { runs: 10_000 }, invariant: { runs: 2_000, depth: 500 } },
};
const effort = efforts[(process.env['CONTRACT_TESTS'] ?? 'normal') as keyof typeof efforts];

/** A compilation that takes longer says that it is under way. */
const MAX_SILENCE_MS = 2_000;
const PACKAGE = /--> \S*\bnode_modules\//;

/** Says that it compiles when that takes long, and what the compiler has to say about our own code; nothing else. */
export const fewWords: HardhatPlugin = {
  id: 'few-words',
  hookHandlers: {
    solidity: async () => ({
      default: async () => ({
        build: async (context, files, options, next) => {
          // On a terminal Hardhat shows that it is busy.
          const notice = process.stdout.isTTY
            ? undefined
            : setTimeout(() => process.stderr.write('Compiling the contracts ...\n'), MAX_SILENCE_MS);
          try {
            return await next(context, files, options);
          } finally {
            clearTimeout(notice);
          }
        },
        getCompilationJobErrors: async (context, job, output, next) => {
          const errors = await next(context, job, output);
          // Warnings about the code of packages are for their authors.
          const ours = errors.filter(
            ({ severity, formattedMessage }) => severity === 'error' || !PACKAGE.test(formattedMessage ?? ''),
          );
          // Hardhat prints an empty line above a list, also above one without entries; without a list it does not.
          return ours.length > 0 ? ours : (undefined as never);
        },
      }),
    }),
  },
};

const VERSION = '0.8.37';

/**
 * The compiler to use: a native one of exactly this version in one of the folders, which is faster and gives the same
 * bytes, else the one from npm. Hardhat's own download of native ones does not get through a firewall.
 */
export function findCompiler(folders: readonly string[]): string {
  const native = folders.map((folder) => path.join(folder, 'solc')).find(isNativeCompiler);
  return native ?? fileURLToPath(import.meta.resolve('solc/soljson.js'));
}

function isNativeCompiler(file: string): boolean {
  try {
    // A script, such as the one of solc-select, would be taken for the compiler in JavaScript.
    if (readStart(file) === '#!') return false;
    return execFileSync(file, ['--version'], { encoding: 'utf8' }).includes(`Version: ${VERSION}+commit`);
  } catch {
    return false;
  }
}

function readStart(file: string): string {
  const descriptor = openSync(file, 'r');
  try {
    const start = Buffer.alloc(2);
    readSync(descriptor, start);
    return start.toString('latin1');
  } finally {
    closeSync(descriptor);
  }
}

/** What the deployed code is made with. */
const compiler = {
  version: VERSION,
  path: findCompiler((process.env['PATH'] ?? '').split(path.delimiter)),
  settings: {
    viaIR: true,
    optimizer: { enabled: true, runs: 10_000_000 },
    evmVersion: 'cancun',
    // Without a hash of the sources the same code has the same bytes on every machine.
    metadata: { bytecodeHash: 'none', appendCBOR: false },
  },
};

/**
 * Without the IR pipeline and the optimizer, which take ten times as long for the contracts of the tests. The code that
 * is deployed is tested over JSON-RPC by `test/contracts/system.test.ts`, and by `npm run test:contracts:deep`.
 */
const unoptimized = {
  ...compiler,
  settings: { ...compiler.settings, viaIR: false, optimizer: { enabled: false } },
};

/**
 * The hash of sources and settings is in the code of what is deployed, so that Sourcify tells an exact match: a comment
 * that was changed shows, and gives another address. It is in the system contracts only, not in the clones.
 */
const published = {
  ...compiler,
  settings: { ...compiler.settings, metadata: { bytecodeHash: 'ipfs' } },
};

/**
 * For how many runs contracts are compiled that shall be smaller than the others. The first would not fit into the
 * 24,576 bytes of EIP-170. The second is read by `eth_call` only: what it costs is its size.
 */
const FEWER_RUNS = { 'contracts/ManagedERC721.sol': 400, 'contracts/TokenDescriptor.sol': 200 };

function smaller<Compiler extends typeof compiler | typeof published>(
  full: Compiler,
): Record<string, Compiler> {
  return Object.fromEntries(
    Object.entries(FEWER_RUNS).map(([file, runs]) => [
      file,
      { ...full, settings: { ...full.settings, optimizer: { enabled: true, runs } } },
    ]),
  );
}

export default defineConfig({
  plugins: [fewWords, hardhatVerify],
  // What is deployed comes from `deployed`: each contract compiled alone, so that its bytes, and with them its address,
  // depend on nothing but its own sources.
  solidity: {
    profiles: {
      default:
        effort === efforts.quick || effort === efforts.normal
          ? unoptimized
          : { compilers: [compiler], overrides: smaller(compiler) },
      deployed: {
        compilers: [published],
        overrides: smaller(published),
        isolated: true,
      },
    },
  },
  paths: { tests: { solidity: './test/contracts' } },
  networks: {
    default: { type: 'edr-simulated', chainType: 'l1', chainId: 31337 },
  },
  test: { solidity: effort },
  // For `npm run verify`. Sourcify wants no key; another address is for one that an operator runs.
  verify: {
    sourcify: { apiUrl: process.env['SOURCIFY_URL'] ?? 'https://sourcify.dev/server' },
    etherscan: { apiKey: configVariable('ETHERSCAN_API_KEY') },
  },
});
