// `npm run docs`: writes the parts of docs/ that are generated from the code: settings, errors, fields and variables.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMain, runMain } from '../../../scripts/cli/command.ts';
import { PROJECT_DIRECTORY } from '../../../scripts/cli/project.ts';
import { generatePage } from './generate-page.ts';

export const main = createMain('npm run docs --', (program) =>
  program
    .description('Writes the generated parts of the pages in docs/ from the code.')
    .option('--check', 'write nothing, and fail if a page differs from the code')
    .addHelpText('after', '\nExample:\n  npm run docs -- --check')
    .action(async ({ check }) => {
      // Commands show their default paths relative to the current directory.
      process.chdir(PROJECT_DIRECTORY);
      const different: string[] = [];
      for (const page of globSync('docs/**/*.md', { cwd: PROJECT_DIRECTORY }).sort()) {
        const path = join(PROJECT_DIRECTORY, page);
        const text = readFileSync(path, 'utf8');
        const generated = await generatePage(text);
        if (generated === text) continue;
        different.push(page);
        if (!check) writeFileSync(path, generated);
      }
      if (check && different.length > 0) {
        throw new Error(`Run npm run docs: the code has changed for ${different.join(', ')}.`);
      }
    }),
);

if (import.meta.main) void runMain(main);
