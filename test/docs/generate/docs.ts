// `npm run docs`: writes what is generated from the code: the marked parts of the pages in docs/, and infra/settings.json.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { format } from 'prettier';
import { createMain, runMain } from '../../../scripts/cli/command.ts';
import { PARTS, infraSettings } from './parts.ts';

const MARKED = /(<!-- generated: (\S+) -->\n).*?(<!-- end -->)/gs;

/** The page with new parts; the text around them is written by hand. Throws for a part that does not exist. */
async function generatePage(page: string): Promise<string> {
  let generated = page;
  for (const [marked, start = '', name = '', end = ''] of page.matchAll(MARKED)) {
    const part = PARTS[name];
    if (part === undefined) throw new Error(`There is no part ${name}.`);
    const text = `${start}\n${await part()}\n${end}`;
    // By a function, because `$` has a meaning in a replacement text.
    generated = generated.replace(marked, () => text);
  }
  return generated === page ? page : format(generated, { parser: 'markdown', printWidth: 100 });
}

/** The files that differ from the code, with what they should be. */
export async function outdatedFiles(): Promise<Map<string, string>> {
  const settings = JSON.stringify(infraSettings());
  const files = new Map([
    ['infra/settings.json', await format(settings, { parser: 'json', printWidth: 100 })],
  ]);
  for (const page of globSync('docs/**/*.md')) {
    files.set(page, await generatePage(readFileSync(page, 'utf8')));
  }
  return new Map([...files].filter(([file, text]) => text !== readFileSync(file, 'utf8')));
}

export const main = createMain('npm run docs --', (program) =>
  program
    .description('Writes the generated parts of the pages in docs/, and infra/settings.json.')
    .action(async () => {
      for (const [file, text] of await outdatedFiles()) writeFileSync(file, text);
    }),
);

if (import.meta.main) void runMain(main);
