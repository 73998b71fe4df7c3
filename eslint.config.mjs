import tseslint from 'typescript-eslint';
import { localRules } from './test/conventions/eslint-rules.mjs';

/** Files whose job is the wire: only they may spell names with underscores. */
const WIRE = [
  'src/**/*.dto.ts',
  'src/modules/payments/map-stripe-error.ts',
  'src/modules/payments/concerned-customer.ts',
  'src/**/*.spec.ts',
  'src/**/*.repository.ts',
  'src/platform/http/api-responses.decorator.ts',
  'src/platform/http/rates.dto.ts',
  'src/modules/providers/{openai,anthropic}/*.ts',
  'src/modules/providers/map-provider-error.ts',
  'src/modules/providers/parse-error-body.ts',
  'test/**',
  'bench/**',
];

export default tseslint.config(
  { ignores: ['dist/', 'node_modules/', '.local/', 'coverage/', '**/*.cjs', '**/*.mjs', '**/*.gen.ts'] },
  ...tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        project: ['test/tsconfig.json', 'test/browser/tsconfig.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    plugins: { local: localRules },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      'local/plain-words': 'error',
      'local/explained-exception': 'error',
      'max-lines': ['error', { max: 300 }],
      'max-lines-per-function': ['error', { max: 50, skipComments: true }],
      // Texts may be longer: strings, SQL and regular expressions.
      'max-len': [
        'error',
        { code: 140, ignoreStrings: true, ignoreTemplateLiterals: true, ignoreRegExpLiterals: true, ignoreUrls: true },
      ],
      'max-params': 'off',
      '@typescript-eslint/max-params': ['error', { max: 5 }],
      complexity: ['error', 10],
      eqeqeq: 'error',
      'no-console': 'error',
      'no-var': 'error',
      'prefer-const': 'error',
      'no-restricted-exports': [
        'error',
        {
          restrictDefaultExports: {
            direct: true,
            named: true,
            defaultFrom: true,
            namedFrom: true,
            namespaceFrom: true,
          },
        },
      ],
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Only common/process-environment.ts reads the environment.' },
        {
          object: 'Math',
          property: 'random',
          message: 'Ids and secrets come from common/ids.ts and auth/token.format.ts.',
        },
        { object: 'Date', property: 'now', message: 'Time comes through Clock.' },
        { object: 'performance', property: 'now', message: 'Time comes through Clock.' },
      ],
      'no-restricted-syntax': [
        'error',
        { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: 'Time comes through Clock.' },
      ],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-extraneous-class': 'off',
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { ignoreUsingDeclarations: true }],
      '@typescript-eslint/naming-convention': [
        'error',
        { selector: 'variableLike', format: ['camelCase', 'UPPER_CASE', 'PascalCase'], leadingUnderscore: 'allow' },
        {
          selector: ['classProperty', 'classMethod'],
          format: ['camelCase', 'UPPER_CASE', 'PascalCase'],
          filter: { regex: '^__', match: false },
        },
        { selector: 'typeLike', format: ['PascalCase'] },
      ],
    },
  },
  { files: ['src/**'], rules: { 'local/file-suffix': 'error' } },
  // Its examples break the rule.
  { files: ['test/conventions/lint-rules.spec.ts'], rules: { 'local/plain-words': 'off' } },
  { files: WIRE, rules: { '@typescript-eslint/naming-convention': 'off' } },
  { files: ['src/platform/config/process-environment.ts'], rules: { 'no-restricted-properties': 'off' } },
  { files: ['src/common/clock.ts'], rules: { 'no-restricted-properties': 'off', 'no-restricted-syntax': 'off' } },
  // Nest finds constructor parameters by their classes at run time, so those imports must stay values.
  {
    files: ['src/**/*.{service,controller,repository,guard,interceptor,module,filter,pipe}.ts'],
    rules: { '@typescript-eslint/consistent-type-imports': 'off' },
  },
  {
    files: ['src/clients/page/**/*.{ts,tsx}'],
    languageOptions: { parserOptions: { project: 'src/clients/page/tsconfig.json' } },
  },
  {
    files: ['src/clients/page/**/*.spec.ts'],
    languageOptions: { parserOptions: { project: 'src/clients/page/tsconfig.spec.json' } },
  },
  { files: ['src/clients/page/clock.ts'], rules: { 'no-restricted-properties': 'off', 'no-restricted-syntax': 'off' } },
  // The client runs in browsers and in any Node: nothing but fetch and what belongs to the language.
  {
    files: ['src/clients/client/{,import/}*.ts'],
    ignores: ['**/*.spec.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        ...[
          'process',
          'Buffer',
          'require',
          'setImmediate',
          'window',
          'document',
          'location',
          'navigator',
          'localStorage',
          'sessionStorage',
          'XMLHttpRequest',
          'EventSource',
        ],
      ],
    },
  },
  { files: ['src/clients/cli/environment.ts'], rules: { 'no-restricted-properties': 'off' } },
  { files: ['src/clients/cli/clock.ts'], rules: { 'no-restricted-properties': 'off', 'no-restricted-syntax': 'off' } },
  {
    files: ['migrations/**'],
    rules: { 'max-lines': 'off', 'max-lines-per-function': 'off', '@typescript-eslint/naming-convention': 'off' },
  },
  {
    files: ['src/common/money.ts', 'src/platform/database/money.column.ts', 'src/modules/billing/**'],
    ignores: ['src/modules/billing/token-usage*.ts'],
    rules: { 'no-restricted-globals': ['error', 'Number', 'parseFloat'] },
  },
  {
    files: ['test/**', 'bench/**', 'src/**/*.spec.ts'],
    rules: {
      'max-lines-per-function': 'off',
      // Tables of cases are long.
      'max-lines': ['error', { max: 750 }],
      // The content of an answer is under test, so no type can guarantee it.
      ...Object.fromEntries(
        ['assignment', 'argument', 'member-access', 'call', 'return'].map((kind) => [
          `@typescript-eslint/no-unsafe-${kind}`,
          'off',
        ]),
      ),
      'no-restricted-properties': 'off',
      'no-restricted-syntax': 'off',
    },
  },
);
