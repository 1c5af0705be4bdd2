import eslint from '@eslint/js';
import tseslint from 'typescript-eslint';

const sdks = ['@google-cloud/*', 'google-auth-library', '@grpc/*', '@fivetrandevelopers/*'];
const noAmbientState = [
  {
    object: 'process',
    property: 'env',
    message: 'Settings are arguments: see functions/config.ts.',
  },
  { object: 'Date', property: 'now', message: 'Time is an argument: see Clock in core/ports.ts.' },
];

/** Module boundaries: a pure core, one SDK per adapter, one composition root. */
export default tseslint.config(
  { ignores: ['dist/', 'artifacts/', 'node_modules/'] },
  eslint.configs.recommended,
  ...tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        projectService: { allowDefaultProject: ['*.js'] },
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/only-throw-error': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_' },
      ],
      'no-console': 'error',
    },
  },
  { files: ['**/*.js'], extends: [tseslint.configs.disableTypeChecked] },
  {
    files: ['functions/core/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [...sdks, '../*', 'node:fs', 'node:fs/*', 'node:http', 'node:process'] },
      ],
      'no-restricted-properties': ['error', ...noAmbientState],
      'no-restricted-globals': ['error', 'process', 'setTimeout', 'setInterval'],
    },
  },
  {
    files: ['functions/*.ts'],
    ignores: ['functions/index.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [{ group: [...sdks, './google/*'], allowTypeImports: true }] },
      ],
      'no-restricted-properties': ['error', ...noAmbientState],
    },
  },
  {
    files: ['functions/system-clock.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        ...noAmbientState.filter(({ object }) => object !== 'Date'),
      ],
    },
  },
  {
    files: ['functions/google/**'],
    rules: {
      // Adapters do not know each other; these two are of no store in particular.
      'no-restricted-imports': [
        'error',
        { patterns: [{ group: ['./*', '!./firestore-clock.ts', '!./lost-race.ts', '../*.ts'] }] },
      ],
      'no-restricted-properties': ['error', ...noAmbientState],
    },
  },
  { files: ['scripts/**'], rules: { 'no-console': 'off' } },
);
