// Tests that the installed Cloud SDK knows every command of a deployment with gcloud, and of docs/recipes.md.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { INGRESS } from '../../scripts/deploy/defaults.ts';
import { DEPLOYMENT, commandsOf } from '../support/service/gcloud-deployment.ts';

/** The commands of gcloud on a page: one to a line, which a backslash continues. */
const RECIPES = readFileSync('docs/recipes.md', 'utf8')
  .replaceAll(/\\\n */g, '')
  .split('\n')
  .filter((line) => /^gcloud (?!config)/.test(line))
  .map((line) =>
    (line.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? []).map((word) => word.replaceAll(/['"]/g, '')),
  );

describe('the installed Cloud SDK', () => {
  const sdk = findSdk();
  const withSdk = sdk === undefined ? it.skip : it;
  const reason = sdk === undefined ? ' (skipped: gcloud is not installed)' : '';
  interface CommandTree {
    commands?: Record<string, CommandTree>;
    flags?: Record<string, string | string[]>;
  }

  withSdk(`has every command and option of gcloud that is used${reason}`, async () => {
    const text = readFileSync(join(sdk ?? '', 'data/cli/gcloud_completions.py'), 'utf8');
    const tree = JSON.parse(text.slice(text.indexOf('{'))) as CommandTree;
    const everywhere = ['--project', '--format', '--quiet'];
    const faults: string[] = [];
    const commands = await commandsOf({ ...DEPLOYMENT, deployment: 'staging' });
    for (const queryIngress of INGRESS) {
      const publicAccess = 'no-invoker-check';
      commands.push(...(await commandsOf({ ...DEPLOYMENT, queryIngress, publicAccess })));
    }
    for (const [program, ...words] of [...commands.flat(), ...RECIPES]) {
      if (program !== 'gcloud') continue;
      let node: CommandTree | undefined = tree;
      const path: string[] = [];
      while (node?.commands?.[words[path.length] ?? ''] !== undefined) {
        const word = words[path.length] ?? '';
        node = node.commands[word];
        path.push(word);
      }
      const command = path.join(' ');
      if (path.length < 2) faults.push(`gcloud ${words.join(' ')}`);
      for (const word of words.slice(path.length).filter((one) => one.startsWith('--'))) {
        const [given = '', value] = word.split(/=(.*)/s);
        const flag = given.replace(/^--no-/, '--');
        if (everywhere.includes(flag)) continue;
        const known = node?.flags?.[flag];
        const isFault =
          known === undefined ||
          (known === 'bool') !== (value === undefined) ||
          (Array.isArray(known) && !new RegExp(`^(?:${known.join('|')})$`, 'i').test(value ?? ''));
        if (isFault) faults.push(`gcloud ${command} ${word}`);
      }
    }
    expect(RECIPES.length).toBeGreaterThan(15);
    expect(faults).toEqual([]);
  });

  withSdk(
    `has every command and option of bq that is used${reason}`,
    async () => {
      const texts = new Map<string, string>();
      const help = (...args: string[]): string => {
        const key = args.join(' ');
        // Its exit code is not 0.
        const text = texts.get(key) ?? spawnSync('bq', args, { encoding: 'utf8' }).stdout;
        texts.set(key, text);
        return text;
      };
      const wide = help('--help');
      const isKnown = (text: string, flag: string): boolean =>
        new RegExp(`--(\\[no\\])?${flag}\\b`).test(text) ||
        (flag.startsWith('no') && text.includes(`--[no]${flag.slice(2)}:`));
      const faults = (await commandsOf(DEPLOYMENT))
        .flat()
        .filter(([program]) => program === 'bq')
        .flatMap(([, ...words]) => {
          const at = words.findIndex((word) => !word.startsWith('--'));
          const command = words[at] ?? '';
          const own = help('help', command);
          const flagOf = (word: string): string => /^--([a-z_]+)/.exec(word)?.[1] ?? '';
          return [
            ...words.slice(0, at).filter((word) => !isKnown(wide, flagOf(word))),
            ...words
              .slice(at + 1)
              .filter((word) => word.startsWith('--') && !isKnown(own, flagOf(word))),
          ].map((word) => `bq ${command} ${word}`);
        });
      expect(faults).toEqual([]);
    },
    120_000,
  );
});

function findSdk(): string | undefined {
  const args = ['info', '--format=value(installation.sdk_root)'];
  // Without gcloud, stdout is null.
  const root = (spawnSync('gcloud', args, { encoding: 'utf8' }).stdout ?? '').trim();
  return existsSync(join(root, 'data/cli/gcloud_completions.py')) ? root : undefined;
}
