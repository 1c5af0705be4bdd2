// The calls of npm scripts in the docs, read by the commands themselves, which run nothing.
import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Command, CommanderError } from '@commander-js/extra-typings';
import type { Declared } from '../../scripts/cli/command.ts';

it('each call of an npm script has arguments that the command accepts', async () => {
  const PAGES = globSync(['*.md', '*/README.md', 'docs/**/*.md', 'sql/endpoints/*/README.md']);
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    scripts: Record<string, string>;
  };
  /** Part of a call, such as `npm run keys -- create`, or one with a placeholder for a value. */
  const INCOMPLETE = [
    'commander.missingArgument',
    'commander.missingMandatoryOptionValue',
    'commander.optionMissingArgument',
    'commander.helpDisplayed',
  ];
  const WORD = /(?:'[^']*'|"[^"]*"|[^\s'"`#|&])+/;
  // A call in double quotes is part of a message.
  const CALL = new RegExp(
    `(?<!")\\bnpm (?:run (?:-\\S+ )*)?([\\w:]+) --((?: ${WORD.source})+)`,
    'g',
  );

  /** What a command would reject in these arguments. */
  function faultOf(program: Command, words: string[]): string | undefined {
    for (const command of [program, ...(program.commands as unknown as Command[])]) {
      command.exitOverride().configureOutput({ writeOut: () => {}, writeErr: () => {} });
      if (command.commands.length === 0) command.action(() => {});
    }
    try {
      program.parse(words, { from: 'user' });
      return undefined;
    } catch (error) {
      if (error instanceof CommanderError && INCOMPLETE.includes(error.code)) return undefined;
      return String(error);
    }
  }

  const faults: string[] = [];
  let calls = 0;
  for (const page of PAGES) {
    const text = readFileSync(page, 'utf8').replaceAll(/\\\n\s*/g, '');
    for (const [call, script = '', written = ''] of text.matchAll(CALL)) {
      const [, file = ''] = /^node (\S+\.ts)$/.exec(scripts[script] ?? '') ?? [];
      if (file === '') continue;
      const { main } = (await import(resolve(file))) as { main: Declared };
      const words = written.match(new RegExp(WORD, 'g')) ?? [];
      const fault = faultOf(
        main.declared(),
        // `N` and `ID` stand for a number.
        words.map((word) => word.replaceAll(/['"]/g, '').replace(/^(?:N|ID)$/, '1')),
      );
      if (fault !== undefined) faults.push(`${page}: ${call}: ${fault}`);
      calls += 1;
    }
  }
  expect(faults).toEqual([]);
  expect(calls).toBeGreaterThan(80);
});
