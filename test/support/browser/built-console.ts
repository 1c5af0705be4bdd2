// The page of the console, built from its sources.
import { join } from 'node:path';
import { loadConsole } from '../../../functions/http/console-page.ts';
import type { Document } from '../../../functions/http/document.ts';
import { buildConsole } from '../../../scripts/compile/console-page.ts';
import { temporaryDirectory } from '../temporary-directory.ts';

export async function buildConsolePage(
  options: { runsExamples?: boolean } = {},
): Promise<Document> {
  const directory = temporaryDirectory('console-');
  const file = join(directory.path, 'console.html');
  await buildConsole(file);
  const page = loadConsole(file, options);
  directory.remove();
  return page;
}
