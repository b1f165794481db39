/**
 * Run when they are asked for by name, by a word of it: walks of alerts wait for Prometheus, minutes in all; generators of
 * clients install 150 packages; a browser that walks through the pages of the console works for minutes.
 */
const ASKED_FOR = {
  runbook: '/test/ops/runbook-',
  generators: '/test/generators/',
  console: '/test/console/(?!credentials|layout|mint-list|numbers|outage|picture-place|serving)',
};

/** @type {import('jest').Config} */
export default {
  testEnvironment: '<rootDir>/test/setup/environment.js',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: Object.entries(ASKED_FOR)
    .filter(([word]) => !process.argv.some((argument) => argument.includes(word)))
    .map(([, pattern]) => pattern),
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
