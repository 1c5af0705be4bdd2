// Tests that the installed Cloud SDK knows every command of a deployment with gcloud, and of docs/recipes.md.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { INGRESS } from '../../scripts/deploy/defaults.ts';
import { wordsOf } from '../support/command.ts';
import { DEPLOYMENT, commandsOf } from '../support/service/gcloud-deployment.ts';

const run = (program: string, ...args: string[]): string =>
  // Without the program, stdout is null; the exit code of `bq help` is not 0.
  spawnSync(program, args, { encoding: 'utf8' }).stdout ?? '';
const root = run('gcloud', 'info', '--format=value(installation.sdk_root)').trim();
const completions = join(root, 'data/cli/gcloud_completions.py');
const describeWithGcloud = existsSync(completions) ? describe : describe.skip;

describeWithGcloud('the installed Cloud SDK has', () => {
  it('every command and option of gcloud that is used (skipped without gcloud)', async () => {
    interface CommandTree {
      commands?: Record<string, CommandTree>;
      flags?: Record<string, string | string[]>;
    }

    /** The options that all commands of gcloud have. */
    const everywhere = ['--project', '--format', '--quiet'];

    function gcloudFaults(words: readonly string[]): string[] {
      const path: string[] = [];
      let node = tree;
      for (const word of words) {
        const next = node.commands?.[word];
        if (next === undefined) break;
        node = next;
        path.push(word);
      }
      if (path.length < 2) return [words.join(' ')];
      const options = words.slice(path.length).filter((word) => word.startsWith('--'));
      const faults = options.filter((word) => {
        const [given = '', value] = word.split(/=(.*)/s);
        const flag = given.replace(/^--no-/, '--');
        const known = node.flags?.[flag];
        if (everywhere.includes(flag)) return false;
        if (known === undefined || (known === 'bool') !== (value === undefined)) return true;
        return (
          Array.isArray(known) && !new RegExp(`^(?:${known.join('|')})$`, 'i').test(value ?? '')
        );
      });
      return faults.map((word) => [...path, word].join(' '));
    }

    /** The commands of gcloud on a page: one to a line, which a backslash continues. */
    const recipes = readFileSync('docs/recipes.md', 'utf8')
      .replaceAll(/\\\n */g, '')
      .split('\n')
      .filter((line) => /^gcloud (?!config)/.test(line))
      .map(wordsOf);
    const text = readFileSync(completions, 'utf8');
    const tree = JSON.parse(text.slice(text.indexOf('{'))) as CommandTree;
    const publicAccess = 'no-invoker-check';
    const all = await Promise.all([
      commandsOf({ ...DEPLOYMENT, deployment: 'staging' }),
      ...INGRESS.map((queryIngress) => commandsOf({ ...DEPLOYMENT, queryIngress, publicAccess })),
    ]);
    const commands = [...all.flat(2), ...recipes].filter(([program]) => program === 'gcloud');
    expect(recipes.length).toBeGreaterThan(15);
    expect(commands.flatMap(([, ...words]) => gcloudFaults(words))).toEqual([]);
  });

  it('every command and option of bq that is used (skipped without gcloud)', async () => {
    const helped = new Map<string, string>();
    function bqFaults(words: readonly string[]): string[] {
      const at = words.findIndex((word) => !word.startsWith('--'));
      const command = words[at] ?? '';
      const help = (...args: string[]): string => {
        const text = helped.get(args.join()) ?? run('bq', ...args);
        helped.set(args.join(), text);
        return text;
      };
      const faults = words.filter((word, index) => {
        const text = index < at ? help('--help') : help('help', command);
        const [, flag] = /^--([a-z_]+)/.exec(word) ?? [];
        const isKnown =
          new RegExp(`--(\\[no\\])?${flag}\\b`).test(text) ||
          (flag?.startsWith('no') && text.includes(`--[no]${flag.slice(2)}:`));
        return flag !== undefined && !isKnown;
      });
      return faults.map((word) => `${command} ${word}`);
    }

    const commands = (await commandsOf(DEPLOYMENT)).flat().filter(([program]) => program === 'bq');
    expect(commands.flatMap(([, ...words]) => bqFaults(words))).toEqual([]);
  }, 120_000);
});
