// Options that several commands share: the project, the directory of saved queries, seconds, and numbers of bytes.
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { SETTINGS } from '../../functions/config.ts';
import { type Terminal, UsageError } from './command.ts';
import { errorCode } from '../../functions/core/errors.ts';
import { LOCAL, projectPath } from './project.ts';
import { reasonOf } from './write-file.ts';

/** The option `--project`; `local` is for a command that can act on the local service: whether it does. */
export function projectOption({ env }: Pick<Terminal, 'env'>, local?: boolean) {
  const { name } = SETTINGS.project;
  return new Option('--project <id>', 'Google Cloud project').default(
    env[name] || (local ? LOCAL.project : ''),
    local === undefined ? name : `${name}; with FIRESTORE_EMULATOR_HOST, ${LOCAL.project}`,
  );
}

export function unknownName(kind: string, name: string, known: readonly string[]): Error {
  return new Error(`Unknown ${kind} ${name}. Known ${kind}s: ${known.join(', ')}.`);
}

/** Throws if neither option nor environment names the project. */
export function requireProject(project: string): string {
  if (project !== '') return project;
  throw new UsageError('Specify the project: --project or GOOGLE_CLOUD_PROJECT.');
}

/** An option that may be repeated; its value is a list, empty by default. */
export function repeatableOption<Flags extends string, Item = string>(
  flags: Flags,
  parse: (text: string) => Item = (text) => text as Item,
) {
  return new Option(flags)
    .default<Item[]>([], 'none')
    .argParser<Item[]>((value, earlier) => [...earlier, parse(value)]);
}

/** The values of a repeated option, each NAME=VALUE. */
export function namedValues(option: string, texts: readonly string[]): [string, string][] {
  return texts.map((text) => {
    const [, name, value] = /^([\w.]+)=(.*)$/s.exec(text) ?? [];
    if (name !== undefined && value !== undefined) return [name, value];
    throw new UsageError(`${option} must be NAME=VALUE, not ${JSON.stringify(text)}.`);
  });
}

/** For an option; decimals are allowed, at most a day. */
export function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (/^\d+(?:\.\d+)?$/.test(text) && seconds > 0 && seconds <= 86_400) return seconds;
  throw new InvalidArgumentError('It must be a number of seconds above 0, at most 86400.');
}

export function parseUrl(text: string): string {
  if (/^https?:\/\//.test(text) && URL.canParse(text)) return text;
  throw new InvalidArgumentError('It must be an http or https address.');
}

/** The option `--sql`; its default is the project's own directory, wherever the command runs. */
export function sqlOption() {
  return new Option('--sql <dir>', 'the directory of saved queries').default(projectPath('sql'));
}

/** Throws for a directory that is missing or contains no saved queries. */
export function requireSqlDirectory(directory: string, option = '--sql'): string {
  try {
    statSync(directory);
  } catch (error) {
    throw new Error(`${faultOfDirectory(directory, error)} (${option}).`, { cause: error });
  }
  const parts = ['endpoints', 'endpoint.schema.json'];
  const missing = parts.find((part) => !existsSync(join(directory, part)));
  if (missing === undefined) return directory;
  throw new Error(
    `${directory} contains no saved queries: it has no ${missing} (${option}). A new one gets the *.schema.json of sql/ and a directory endpoints.`,
  );
}

/** Why a directory cannot be read, from the error of the file system; a sentence without its full stop. */
export function faultOfDirectory(directory: string, error: unknown): string {
  if (errorCode(error) === 'ENOENT') return `There is no directory ${directory}`;
  return `${directory} cannot be read: ${reasonOf(error)}`;
}

const BYTES = new Map([
  ...['B', 'kB', 'MB', 'GB', 'TB'].map((unit, power) => [unit, 1000 ** power] as const),
  ...['KiB', 'MiB', 'GiB', 'TiB'].map((unit, index) => [unit, 1024 ** (index + 1)] as const),
]);

/** `50GB`, `1.5GiB`. A number without a unit is refused: 50 could be meant as 50 GB. */
export function parseByteSize(text: string): number {
  const [, number = '', unit = ''] = /^(\d{1,16}(?:\.\d{1,3})?) ?([a-zA-Z]+)$/.exec(text) ?? [];
  const bytes = Math.round(Number(number) * (BYTES.get(unit) ?? NaN));
  if (bytes >= 1 && Number.isSafeInteger(bytes)) return bytes;
  throw new InvalidArgumentError(
    `Write a number with its unit (${[...BYTES.keys()].join(', ')}), such as 50GB or 10GiB.`,
  );
}

/** BigQuery bills more for any query. The setting WARM_BYTES_PER_DAY and `bytes_per_day` in infra/variables.tf have the same bound. */
const BYTES_PER_DAY_MIN = 10_000_000;

export function parseBytesPerDay(text: string): number {
  const bytes = parseByteSize(text);
  if (bytes >= BYTES_PER_DAY_MIN) return bytes;
  throw new InvalidArgumentError(
    'Write at least 10MB: BigQuery bills more than that for any query.',
  );
}
