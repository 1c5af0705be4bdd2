import eslint from '@eslint/js';
import tseslint from 'typescript-eslint';
import { walls } from './eslint.walls.js';

/** What holds everywhere, and the walls between the rooms of functions/. */
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
  ...walls,
  { files: ['scripts/**'], rules: { 'no-console': 'off' } },
);
