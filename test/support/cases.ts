// Reads tables of cases from the text file beside a test, `x.cases.txt` of `x.test.ts`: each line is the JSON of one case.
import { readFileSync } from 'node:fs';

/** A table by its heading, `## NAME`. Lines that begin with `# ` explain, and are left out. */
export function casesBeside(testFile: string): <Case>(name: string) => Case[] {
  const file = testFile.replace(/\.test\.ts$/, '.cases.txt');
  const parts = readFileSync(file, 'utf8').split(/^## /m);
  return <Case>(name: string): Case[] => {
    const part = parts.find((text) => text.startsWith(`${name}\n`));
    const lines = part?.split('\n').slice(1) ?? [];
    const cases = lines.filter((line) => line !== '' && !line.startsWith('# '));
    if (cases.length === 0) throw new Error(`${file} has no cases called ${name}.`);
    return cases.map((line) => JSON.parse(line) as Case);
  };
}
