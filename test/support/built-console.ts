// Builds the page of the console in another process, because esbuild does not run inside Jest.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { loadConsole } from '../../functions/http/console-page.ts';
import type { Document } from '../../functions/http/document.ts';

export async function buildConsolePage(): Promise<Document> {
  const directory = mkdtempSync(join(tmpdir(), 'console-'));
  const file = join(directory, 'console.html');
  await promisify(execFile)(process.execPath, ['scripts/build-console.ts', '--out', file]);
  const page = loadConsole(file);
  rmSync(directory, { recursive: true });
  return page;
}
