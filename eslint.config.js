import eslint from '@eslint/js';
import { walls } from './eslint.walls.js';

/** The walls between the layers; .oxlintrc.json has what holds everywhere. */
export default [
  { ignores: ['dist/', 'artifacts/', 'node_modules/'] },
  { files: ['**/*.js'], ...eslint.configs.recommended },
  { files: ['**/*.js'], rules: { 'no-console': 'error' } },
  { linterOptions: { reportUnusedDisableDirectives: 'off' } },
  ...walls,
];
