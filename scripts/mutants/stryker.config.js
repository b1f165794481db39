/**
 * `npm run mutants:pure`: rules that need no service, database or node, and the tests that show them.
 * @type {import('@stryker-mutator/api/core').PartialStrykerOptions}
 */
export default {
  mutate: [
    'src/lib/{batcher,database-url,fair-queue,json-number,linked-abort,one-at-a-time}.ts',
    'src/chain/abi/{entries,execution}.ts',
    'src/chain/rpc/classify.ts',
    'src/engine/accept/accept.ts',
    'src/engine/send/{batch,fair-order}.ts',
    'src/engine/verdict/finished.ts',
    'src/features/explorer/{page-cache,text}.ts',
  ],
  testRunner: 'jest',
  testRunnerNodeArgs: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
  jest: {
    config: {
      // By these the tests of a file are found.
      roots: ['<rootDir>/src', '<rootDir>/test'],
      testEnvironment: 'node',
      testMatch: [
        '<rootDir>/test/lib/*.test.ts',
        '<rootDir>/test/chain/{classify,entries,execution}.test.ts',
        '<rootDir>/test/engine/{batch,fair-order,rooms}.test.ts',
        '<rootDir>/test/features/{explorer-page-cache,explorer-text}.test.ts',
        '<rootDir>/test/http/json-body.test.ts',
      ],
      globalSetup: null,
      globalTeardown: null,
    },
  },
  coverageAnalysis: 'perTest',
  // What runs once, when a module is loaded, would need all tests for each mutant.
  ignoreStatic: true,
  // Words of errors are for people.
  mutator: { excludedMutations: ['StringLiteral'] },
  concurrency: 1,
  timeoutMS: 2_000,
  reporters: ['clear-text', 'progress-append-only'],
  tempDirName: '.data/stryker',
};
