// Reads tables of cases from the text file of a test, `x.cases.txt` of `x.test.ts`: each line is the JSON of one case.
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errorMessage } from '../../functions/core/errors.ts';

/**
 * All tables with their headings, `## NAME`. Lines that begin with `# ` explain, and are left out. The file is beside the test, or in
 * the folder cases/ there.
 */
export function tablesBeside<Case>(testFile: string): [name: string, cases: Case[]][] {
  const file = testFile.replace(/\.test\.ts$/, '.cases.txt');
  const found = [file, join(dirname(file), 'cases', basename(file))].find(existsSync);
  if (found === undefined)
    throw new Error(`There is no ${file}, nor one in the folder cases/ there.`);
  const [, ...parts] = `\n${readFileSync(found, 'utf8')}`.split('\n## ');
  return parts.map((part) => {
    const [name = '', ...lines] = part.split('\n');
    const cases = lines.filter((line) => line !== '' && !line.startsWith('# '));
    if (cases.length === 0) throw new Error(`${found} has no cases below ## ${name}.`);
    return [name, cases.map((line) => caseOf(line, `${found}, ## ${name}`) as Case)];
  });
}

function caseOf(line: string, place: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new Error(`${place}: ${errorMessage(error)} in ${line}`, { cause: error });
  }
}

/** A table by its heading. */
export function casesBeside(testFile: string): <Case = unknown[]>(name: string) => Case[] {
  const tables = new Map(tablesBeside(testFile));
  return <Case = unknown[]>(name: string): Case[] => {
    const cases = tables.get(name);
    if (cases === undefined) throw new Error(`${testFile} has no cases called ${name}.`);
    return cases as Case[];
  };
}

/**
 * Tests a case, as the function of `it.each`: the last of its values is what `made` gives for the others, or the message of its error.
 * `null` is nothing.
 */
export const expectLast =
  <Given extends unknown[]>(made: (...given: Given) => unknown) =>
  async (...values: unknown[]): Promise<void> => {
    const given = values.slice(0, -1) as Given;
    const found: unknown = await Promise.resolve()
      .then(() => made(...given))
      .catch(errorMessage);
    const expected = values.at(-1);
    const isText = typeof expected === 'string' && typeof found === 'string';
    if (!isText || !isLike(expected, found)) expect([...given, found ?? null]).toEqual(values);
  };

/** In what is expected, `…` stands for anything. */
export function isLike(expected: string, found: string): boolean {
  return new RegExp(`^${patternOf(expected).source}$`).test(found);
}

/** Of a text in which `…` stands for anything. */
export function patternOf(text: string): RegExp {
  return new RegExp(
    text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`).replaceAll('…', '[^]*?'),
  );
}
