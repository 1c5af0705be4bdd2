// Reads tables of cases from the text file beside a test, `x.cases.txt` of `x.test.ts`: each line is the JSON of one case.
import { readFileSync } from 'node:fs';

/** All tables with their headings, `## NAME`. Lines that begin with `# ` explain, and are left out. */
export function tablesBeside<Case>(testFile: string): [name: string, cases: Case[]][] {
  const file = testFile.replace(/\.test\.ts$/, '.cases.txt');
  const [, ...parts] = `\n${readFileSync(file, 'utf8')}`.split('\n## ');
  return parts.map((part) => {
    const [name = '', ...lines] = part.split('\n');
    const cases = lines.filter((line) => line !== '' && !line.startsWith('# '));
    return [name, cases.map((line) => JSON.parse(line) as Case)];
  });
}

/** A table by its heading. */
export function casesBeside(testFile: string): <Case>(name: string) => Case[] {
  const tables = new Map(tablesBeside(testFile));
  return <Case>(name: string): Case[] => {
    const cases = tables.get(name) ?? [];
    if (cases.length === 0) throw new Error(`${testFile} has no cases called ${name}.`);
    return cases as Case[];
  };
}
