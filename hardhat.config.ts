import { fileURLToPath } from 'node:url';
import { defineConfig } from 'hardhat/config';

/** The deep run (`npm run test:contracts:deep`) makes a million calls for each invariant. */
const deep = process.env['CONTRACT_TESTS'] === 'deep';

export default defineConfig({
  solidity: {
    version: '0.8.37',
    // From npm: Hardhat's own download of compilers does not get through a firewall.
    path: fileURLToPath(import.meta.resolve('solc/soljson.js')),
    settings: {
      viaIR: true,
      optimizer: { enabled: true, runs: 10_000 },
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
