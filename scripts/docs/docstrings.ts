// Reads the meaning of each property of an object from the comment of one line above it.
import { readFileSync } from 'node:fs';
import { projectPath } from '../cli/project.ts';

/** The meanings by property in this file. Throws for a property of `names` without one. */
export function docstringsOf<Name extends string>(
  file: string,
  names: readonly Name[],
): Readonly<Record<Name, string>> {
  const source = readFileSync(projectPath(file), 'utf8');
  const pairs = names.map((name) => {
    const [, meaning] =
      new RegExp(String.raw`^ +/\*\* (.+) \*/\n +${name}: `, 'm').exec(source) ?? [];
    if (meaning === undefined)
      throw new Error(`${file}: ${name} needs /** its meaning */ above it.`);
    return [name, meaning] as const;
  });
  return Object.fromEntries(pairs) as Record<Name, string>;
}
