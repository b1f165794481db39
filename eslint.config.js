import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

/**
 * Types find most mistakes; lint adds what types cannot see: a promise nobody waits for, an `any` that spreads, and the
 * style of the house. A rule is obeyed and not switched off at a line: `noInlineConfig`.
 */

/** Casts that get past the types. A value of the right type, or a smaller interface, does without. */
const CASTS = [
  {
    selector: 'TSAsExpression > TSNeverKeyword, TSAsExpression > TSAnyKeyword',
    message: 'Build a value of the type that is asked for, or ask for a smaller interface.',
  },
  {
    selector: 'TSAsExpression > TSAsExpression.expression',
    message: 'Two casts fit anything to anything: read the value with a function that checks or types it.',
  },
];

const SQL = [
  {
    selector:
      'CallExpression:matches([callee.name=/^(query|hasRows)$/], [callee.property.name="raw"]) > ArrayExpression.arguments',
    message: 'Write SQL parameters as `:name` and bind an object.',
  },
];

const FUNCTIONS = [
  {
    selector:
      ':matches(Program, ExportNamedDeclaration) > VariableDeclaration > VariableDeclarator:not([id.typeAnnotation]) > ArrowFunctionExpression[body.type!="ArrowFunctionExpression"]:has(BlockStatement)',
    message: 'Declare a function with statements in it with `function`, unless it returns a function.',
  },
];

const EXPORTS = [{ selector: 'ExportDefaultDeclaration', message: 'Export by name.' }];

/** Refuses names by pattern, with the word to use instead. */
const say = (words) =>
  words.map(([pattern, word]) => ({ selector: `Identifier[name=/${pattern}/]`, message: `Say ${word}.` }));

/** Words of former versions, and the field's words for the same. */
const WORDS = say([
  ['^MOST_|^LARGEST_', 'MAX_...'],
  ['^LEAST_', 'MIN_...'],
  ['PATIENCE', '..._TIMEOUT_MS'],
  ['[sS]tumble', 'withBackoff'],
  ['^bells?$|Bells?$', 'wakeup, wake'],
  ['[cC]arriers?$|^carries$', 'transactions in flight'],
  ['[uU]ntold', 'the no-op tracer'],
  ['^(tell|told|telling)$|^(tell|told)[A-Z]|TELL', 'notify, report'],
  ['[cC]arried|CARRIED|^carr(y|ies)$|^rides?$', 'in flight, transaction of'],
  ['[rR]esting|^rest(s|ed|Ms)$|^rest[A-Z]|Rest(Ms|Reason|For)?$|^REST$|_REST_MS$', 'pause, idle'],
  ['[sS]een(Done|Commits)|SEEN_', 'found, known'],
  ['[pP]atien(t|ce)', 'a time-out'],
  ['^(remember|follow)$', 'what is kept, or done'],
  ['[lL]evers?$|^[lL]ever[A-Z]|LEVER|^[pP]remises$|^[sS]urroundings$', 'command, context, terminal'],
  ['[bB]urial|^revive[A-Z]|Revived', 'buried, resumed, reopened'],
  ['^(MOVES|moves|slots?|slotOf)$', 'controls; transaction, nonce'],
]);
/** Playwright has a `waitFor` too, which only tests call; Judge and judgement are those of the fault suite. */
const WORDS_OF_SRC = say([
  ['^waitFor$', 'blockUntil'],
  ['[jJ]udg', 'settle, check'],
  ['^views$', 'blockCache'],
  ['^heldBack$|[hH]eld(Chain|Head)', 'didNotFit, canonical'],
  ['^mark[A-Z]', 'note..., set...'],
  ['^reopen(Mined|Above|WithoutEvent)$|^unsettle(Successes|Strays)$', 'openAgain..., reopen...'],
  ['^isSettled$|^[sS]ettledIntent', 'hasVerdict, ChangedIntent'],
]);
const OWN_WAIT_FOR = [
  {
    selector:
      ':matches(FunctionDeclaration[id.name="waitFor"], VariableDeclarator[id.name="waitFor"], Property[key.name="waitFor"], TSMethodSignature[key.name="waitFor"])',
    message: 'Say what is waited for.',
  },
];

const SYNTAX = [...CASTS, ...SQL, ...FUNCTIONS, ...WORDS, ...OWN_WAIT_FOR];

/** Of tests and scripts; in src a few locks, timers and spans end in a `finally`, which are no objects of their own. */
const DISPOSAL = [
  {
    selector:
      'TryStatement > BlockStatement.finalizer CallExpression:matches([callee.property.name=/^(stop|close|destroy|drop|end|kill)$/], [callee.name="rm"])',
    message: 'Dispose of it by `using` or `await using`: `finally` puts back what was changed.',
  },
];

/** Names that others gave: headers, environment variables, columns of SQL, methods of JSON-RPC. */
const FOREIGN_NAMES = [
  { selector: ['objectLiteralProperty', 'objectLiteralMethod', 'typeProperty'], format: null },
  { selector: ['variable', 'parameter'], modifiers: ['destructured'], format: null },
];

const NAMES = [
  { selector: 'default', format: ['camelCase'], leadingUnderscore: 'allow' },
  { selector: 'import', format: ['camelCase', 'PascalCase'] },
  {
    selector: 'variable',
    modifiers: ['const'],
    format: ['camelCase', 'UPPER_CASE'],
    leadingUnderscore: 'allow',
  },
  { selector: 'typeLike', format: ['PascalCase'] },
  ...FOREIGN_NAMES,
];

export default tseslint.config(
  {
    ignores: [
      'node_modules',
      'generated',
      'artifacts',
      'cache',
      'coverage',
      '.data',
      '.node',
      'packages/*/dist',
    ],
  },
  { linterOptions: { noInlineConfig: true } },
  ...tseslint.configs.recommendedTypeChecked.map((config) => ({ ...config, files: ['**/*.{ts,tsx}'] })),
  {
    files: ['**/*.{ts,tsx}'],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'separate-type-imports' }],
      '@typescript-eslint/consistent-type-definitions': ['error', 'interface'],
      '@typescript-eslint/naming-convention': ['error', ...NAMES],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/require-await': 'off',
      // Nothing here uses `this`: a method of an object of closures may be handed on by itself.
      '@typescript-eslint/unbound-method': 'off',
      'no-console': 'error',
      'no-restricted-syntax': ['error', ...SYNTAX, ...EXPORTS, ...DISPOSAL],
      'func-style': ['error', 'declaration', { allowArrowFunctions: true }],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      // Prettier wraps code, and no comments.
      'max-len': ['error', { code: 10_000, comments: 120, ignoreUrls: true }],
    },
  },
  {
    // Components are named as React has it, and markup makes functions long.
    files: ['packages/console/src/**/*.{ts,tsx}'],
    plugins: { 'react-hooks': reactHooks },
    rules: {
      ...reactHooks.configs.recommended.rules,
      '@typescript-eslint/naming-convention': [
        'error',
        ...NAMES,
        { selector: 'function', format: ['camelCase', 'PascalCase'] },
        { selector: 'parameter', format: ['camelCase', 'PascalCase'], leadingUnderscore: 'allow' },
        ...FOREIGN_NAMES,
      ],
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 100, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    files: ['src/**/*.ts'],
    rules: {
      'no-restricted-syntax': ['error', ...SYNTAX, ...EXPORTS, ...WORDS_OF_SRC],
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 90, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    files: ['lab/**/*.ts', 'scripts/**/*.ts', 'examples/*.ts', 'packages/console/build/*.ts'],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['lab/**/*.ts', 'scripts/faults.ts', 'test/faults/**/*.ts', 'test/engine/**/*.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'Math', property: 'random', message: 'Draw from the seed.' },
      ],
    },
  },
  {
    // Jest takes these modules by their default export.
    files: ['test/setup/global-*.ts', 'test/setup/*-reporter.ts', 'test/setup/sequencer.js'],
    rules: { 'no-restricted-syntax': ['error', ...SYNTAX] },
  },
  {
    // So does Hardhat, and the types of a hook leave out the `undefined` that its code takes.
    files: ['hardhat.config.ts'],
    rules: { 'no-restricted-syntax': ['error', ...FUNCTIONS, ...WORDS] },
  },
);
