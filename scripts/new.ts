// `npm run new`: creates the folder of an endpoint from a query, or that of a table from its rows.
import { join } from 'node:path';
import { Option } from '@commander-js/extra-typings';
import { type ParameterType, SCALAR_TYPES } from '../functions/core/parameter-type.ts';
import schema from '../sql/endpoint.schema.json' with { type: 'json' };
import { SIGNALS, type Terminal, UsageError, createMain, runMain } from './cli/command.ts';
import { addHelp } from './cli/help.ts';
import { namedValues, repeatableOption, requireSqlDirectory } from './cli/options.ts';
import { projectPath } from './cli/project.ts';
import { counted } from './cli/table.ts';
import { startGoogleSql } from './local-bigquery/index.ts';
import { inWords } from './new/draft-definition.ts';
import { PARAMETER_TYPES } from './new/infer-parameters.ts';
import { type MadeEndpoint, makeEndpoint } from './new/new-endpoint.ts';
import { makeSource } from './new/new-source.ts';
import { describedBy, leadingComment, readSqlFile } from './new/read-query.ts';
import { requireNew } from './new/write-folder.ts';
import { readSources } from './sources/read-sources.ts';

const OF_ENDPOINT = ['sql', 'description', 'example', 'type'];

export const main = createMain('npm run new --', (program, caller) => {
  program
    .argument('[name]')
    .option('--sql <file>')
    .option('--description <text>')
    .addOption(repeatableOption('--example <name=value>'))
    .addOption(repeatableOption('--type <name=type>'))
    .addOption(new Option('--source <table>').conflicts(OF_ENDPOINT))
    .option('--from <file>')
    .option('--partition <column>')
    .option('--directory <dir>', '', projectPath('sql'))
    .action(async (name, options) => {
      refuseStray(name, options);
      const sqlDirectory = requireSqlDirectory(options.directory, '--directory');
      const interrupted = new AbortController();
      const interrupt = (): void =>
        interrupted.abort(new Error('Interrupted; nothing was created.'));
      for (const signal of SIGNALS) process.on(signal, interrupt);
      try {
        const making = { caller, sqlDirectory, signal: interrupted.signal };
        if (options.source === undefined) await newEndpoint(making, name, options);
        else await newSource(making, options.source, options);
      } catch (error) {
        // The step that was interrupted fails with an error of its own.
        interrupted.signal.throwIfAborted();
        throw error;
      } finally {
        for (const signal of SIGNALS) process.off(signal, interrupt);
      }
    });
  addHelp(program, 'new');
});

type Making = { caller: Terminal; sqlDirectory: string; signal: AbortSignal };

interface Options {
  sql?: string;
  description?: string;
  example: string[];
  type: string[];
  source?: string;
  from?: string;
  partition?: string;
}

function refuseStray(name: string | undefined, { source, from, partition }: Options): void {
  if (source !== undefined && name !== undefined) {
    throw new UsageError(`--source creates a table: remove the endpoint name ${name}.`);
  }
  const stray = from === undefined ? partition && 'partition' : 'from';
  if (source === undefined && stray) throw new UsageError(`--${stray} needs --source.`);
}

async function newSource(making: Making, name: string, { from, partition }: Options) {
  const { sqlDirectory } = making;
  const { print, note } = making.caller;
  if (from === undefined) throw new UsageError('--from is missing. See --help.');
  const { folder, source, rowCount, notes } = await makeSource(name, from, partition, making);
  print(`${folder}
  schema.json    ${source.fields.map(({ name, type }) => `${name} ${type}`).join(', ')}`);
  const { partitioning, shards } = source.definition;
  const parts = partitioning
    ? `a partition per day of ${partition}`
    : shards && `the shards ${shards.prefix}${shards.format}`;
  if (parts) print(`  table.json     ${parts}, which every query has to filter`);
  if (rowCount > 0) print(`  sample.ndjson  ${counted(rowCount, 'row')}`);
  notes.forEach((text) => note(text));
  if (rowCount === 0) note(`${source.name} has no rows here: put sample.ndjson into ${folder}.`);
  const before = inDirectory(sqlDirectory) && ' --';
  print(`
Next:
  npm run check${before}${inDirectory(sqlDirectory)}
  npm run new -- GROUP.NAME --sql FILE${inDirectory(sqlDirectory, '--directory')}`);
}

async function newEndpoint(making: Making, name: string | undefined, options: Options) {
  const { caller, sqlDirectory, signal } = making;
  if (name === undefined) {
    throw new UsageError('The endpoint name is missing, such as sales.revenue. See --help.');
  }
  const { pattern, maxLength } = schema.properties.name;
  if (!new RegExp(pattern).test(name) || name.length > maxLength) {
    throw new UsageError(
      `An endpoint cannot be named ${name}: a name is a group, a dot and hyphenated words, all lower case, such as sales.revenue-by-day.`,
    );
  }
  requireNew(join(sqlDirectory, 'endpoints', name));
  const sources = await readSources(join(sqlDirectory, 'sources'));
  if (sources.length === 0) {
    const remedy = 'npm run new -- --source TABLE --from ROWS.ndjson creates one';
    throw new Error(`No table exists yet; ${remedy}.`);
  }
  const { sql: file } = options;
  if (file === undefined) throw new UsageError('--sql FILE is missing. See --help.');
  const text = readSqlFile(file);
  const comment = describedBy(leadingComment(text));
  const description = options.description ?? (comment || `${inWords(name)}.`);
  if (description.trim() === '') throw new UsageError('--description is empty.');
  const engine = await startGoogleSql();
  const close = (): void => void engine.close();
  signal.addEventListener('abort', close);
  try {
    signal.throwIfAborted();
    const made = await makeEndpoint(engine, {
      ...{ text, file, name, description, sources, sqlDirectory, signal },
      examples: inLowerCase(namedValues('--example', options.example)),
      types: parseTypes(options.type),
      nowMs: caller.nowMs(),
    });
    report(caller, made, sqlDirectory);
  } finally {
    signal.removeEventListener('abort', close);
    await engine.close();
  }
}

const inLowerCase = <Value>(values: readonly (readonly [string, Value])[]): Map<string, Value> =>
  new Map(values.map(([name, value]) => [name.toLowerCase(), value]));

function parseTypes(given: readonly string[]): Map<string, ParameterType> {
  const types = namedValues('--type', given).map(([name, text]) => {
    const written = text.toUpperCase().replaceAll(/\s/g, '');
    const type = PARAMETER_TYPES.find((possible) => possible === written);
    if (type !== undefined) return [name, type] as const;
    const possible = `${SCALAR_TYPES.join(', ')} or ARRAY<…> of one of them`;
    throw new UsageError(`--type ${name}: ${text} is not a parameter type; write ${possible}.`);
  });
  return inLowerCase(types);
}

/** The option that names the directory in the printed commands; '' for the default directory. */
function inDirectory(sqlDirectory: string, option = '--sql'): string {
  return sqlDirectory === projectPath('sql') ? '' : ` ${option} ${sqlDirectory}`;
}

function report(
  { print, note, env }: Terminal,
  { folder, endpoint, query, rowCount, notes }: MadeEndpoint,
  sqlDirectory: string,
): void {
  const { name, parameters, row } = endpoint;
  const request = query === '' ? '' : `?${query}`;
  print(`${folder}
  endpoint.json     ${counted(Object.keys(parameters).length, 'parameter')}, ${counted(Object.keys(row).length, 'column')}
  query.sql${rowCount === undefined ? '' : `\n  tests/first.json  ${counted(rowCount, 'row')}, recorded from this run; review before committing`}`);
  notes.forEach((text) => note(text));
  const there = inDirectory(sqlDirectory);
  print(`
Next: read endpoint.json, then
  npm run check -- ${name}${there}
  npm start${there && ` --${there}`}
  curl --compressed -H 'X-API-KEY: local-dev-key' \\
    'http://localhost:${env.PORT || 8080}/api/endpoints/query/${name}${request}'
If npm start prints another port, use that one in the call.`);
}

if (import.meta.main) void runMain(main);
