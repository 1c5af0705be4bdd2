// Repeats commands of gcloud and bq while Google answers what passes by itself, such as two changes of a policy at once.
// repeat.json has these answers, as regular expressions that bash reads alike; every other failure is final.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { shellQuote } from '../../functions/console/shell-quote.ts';
import { runProgram } from '../cli/run-program.ts';
import repeat from './repeat.json' with { type: 'json' };

const ANSWERS = repeat.answers.join('|');

/** The function `repeated` of a shell script, which does the same. */
export const repeatedInShell = (): string =>
  readFileSync(join(import.meta.dirname, 'repeat.sh'), 'utf8')
    .replace('{answers}', () => shellQuote(ANSWERS))
    .replace('{seconds}', repeat.seconds.join(' '));

export const isRepeated = ([program = '']: readonly string[]): boolean =>
  repeat.programs.includes(program);

/** How the last run ended. bq writes its errors to standard output, which is therefore shown at the end of a run. */
export async function runRepeated(
  argv: readonly string[],
  how: Parameters<typeof runProgram>[1],
  print: (line: string) => void,
): ReturnType<typeof runProgram> {
  if (!isRepeated(argv)) return runProgram(argv, how);
  const isShown = how.output === 'inherit';
  const kept = { ...how, keepsErrors: true, ...(isShown && { output: 'pipe' as const }) };
  const pauses = repeat.seconds.values();
  for (;;) {
    const result = await runProgram(argv, kept);
    if (isShown && result.stdout !== '') print(result.stdout.trimEnd());
    const [answer] = new RegExp(ANSWERS).exec(`${result.stderr}${result.stdout}`) ?? [];
    const { value: seconds } = pauses.next();
    if (result.isDone || answer === undefined || seconds === undefined) return result;
    print(`Google answered "${answer}": trying again in ${seconds} s`);
    await runProgram(['sleep', String(seconds)], { ...how, output: 'inherit' });
  }
}
