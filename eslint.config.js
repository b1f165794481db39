import tseslint from 'typescript-eslint';

/** Types find most mistakes; lint adds what types cannot see: a promise nobody waits for, an `any` that spreads. */
export default tseslint.config(
  { ignores: ['node_modules', 'generated', 'artifacts', 'cache', 'coverage', '.data', '.node'] },
  ...tseslint.configs.recommendedTypeChecked.map((config) => ({ ...config, files: ['**/*.ts'] })),
  {
    files: ['**/*.ts'],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'separate-type-imports' }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/require-await': 'off',
      // Nothing here uses `this`: a method of an object of closures may be handed on by itself.
      '@typescript-eslint/unbound-method': 'off',
      'no-console': 'error',
      eqeqeq: ['error', 'always', { null: 'ignore' }],
    },
  },
  { files: ['scripts/**/*.ts'], rules: { 'no-console': 'off' } },
);
