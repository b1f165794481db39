import { fileURLToPath } from 'node:url';
import { defineConfig } from 'hardhat/config';
import type { HardhatPlugin } from 'hardhat/types/plugins';

/** The deep run (`npm run test:contracts:deep`) makes a million calls for each invariant. */
const deep = process.env['CONTRACT_TESTS'] === 'deep';

/** Warnings about the code of packages are for their authors; ours stay visible. */
const quietPackages: HardhatPlugin = {
  id: 'quiet-packages',
  hookHandlers: {
    solidity: async () => ({
      default: async () => ({
        invokeSolc: async (context, compiler, input, config, next) => {
          const output = await next(context, compiler, input, config);
          const ours = output.errors?.filter(
            (error) => error.severity === 'error' || !error.formattedMessage?.includes('--> npm/'),
          );
          return ours === undefined ? output : { ...output, errors: ours };
        },
      }),
    }),
  },
};

export default defineConfig({
  plugins: [quietPackages],
  solidity: {
    version: '0.8.37',
    // From npm: Hardhat's own download of compilers does not get through a firewall.
    path: fileURLToPath(import.meta.resolve('solc/soljson.js')),
    settings: {
      viaIR: true,
      optimizer: { enabled: true, runs: 10_000_000 },
      evmVersion: 'cancun',
      // Without a hash of the sources the same code has the same bytes on every machine, and so the same address.
      metadata: { bytecodeHash: 'none', appendCBOR: false },
    },
  },
  paths: { tests: { solidity: './test/contracts' } },
  networks: {
    default: { type: 'edr-simulated', chainType: 'l1', chainId: 31337 },
  },
  test: {
    solidity: {
      fuzz: { runs: deep ? 10_000 : 256 },
      invariant: { runs: deep ? 2_000 : 50, depth: deep ? 500 : 200, failOnRevert: false },
    },
  },
});
