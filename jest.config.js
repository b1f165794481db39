/** @type {import('jest').Config} */
export default {
  testEnvironment: '<rootDir>/test/setup/environment.js',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '\\.ts$': [
      '@swc/jest',
      { jsc: { target: 'es2024', parser: { syntax: 'typescript' } }, module: { type: 'es6' } },
    ],
  },
  testSequencer: '<rootDir>/test/setup/sequencer.js',
  globalSetup: '<rootDir>/test/setup/global-setup.ts',
  globalTeardown: '<rootDir>/test/setup/global-teardown.ts',
  reporters: ['default', '<rootDir>/test/setup/contract-coverage-reporter.ts'],
  // For all of them, and far more than any takes: none shall fail because the machine is busy.
  testTimeout: 900_000,
  // Many tests wait for blocks and leases more than they work: six share two cores well.
  maxWorkers: 6,
};
