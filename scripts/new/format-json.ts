// Formats the JSON of a definition as Prettier does.
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { PROJECT_DIRECTORY } from '../cli/project.ts';

/** Objects that fit in a line are in one line. */
export async function formatJson(value: unknown): Promise<string> {
  const options = await resolveConfig(join(PROJECT_DIRECTORY, 'package.json'));
  return await format(JSON.stringify(value), { ...options, parser: 'json' });
}
