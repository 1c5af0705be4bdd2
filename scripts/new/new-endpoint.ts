// Creates the folder of a new endpoint from its query: definition, query and first test.
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { toServiceError } from '../../functions/core/errors.ts';
import { textsOf } from '../../functions/core/parameter-type.ts';
import { inspectCatalogue } from '../compile/inspect-catalogue.ts';
import type { Endpoint } from '../../functions/endpoints/endpoint.ts';
import type { InspectedEndpoint } from '../compile/inspect-endpoint.ts';
import type { CanonicalParameters } from '../../functions/endpoints/parameters.ts';
import { createCaseChecker } from '../check/cases/check-cases.ts';
import { causeText } from '../check/cases/query-failure.ts';
import { withScratch } from '../cli/write-file.ts';
import { checkEndpoint } from '../check/check-endpoint.ts';
import { type DefinitionFault, formatFault } from '../faults/definition-fault.ts';
import { reasonNotRunLocally } from '../check/analysed-query.ts';
import { type EncodedRow, type GoogleSql, createTableRowEncoder } from '../local-bigquery/index.ts';
import { ownExample, queryString } from '../start/own-example.ts';
import { definitionFile, draftDefinition } from './draft-definition.ts';
import type { Examples, QueryFacts } from './draft-definition.ts';
import type { Source } from '../sources/read-sources.ts';
import { type Tables, firstCase, readSample } from './first-case.ts';
import { frequentValues } from './frequent-values.ts';
import { type NewQuery, leadingComment, queryFacts } from './read-query.ts';
import { formatJson, requireNew, writeFolder } from './write-folder.ts';

interface NewEndpoint extends NewQuery {
  name: string;
  description: string;
  /** The given examples, by parameter in lower case. */
  examples: ReadonlyMap<string, string>;
  nowMs: number;
  signal: AbortSignal;
}

export interface MadeEndpoint {
  folder: string;
  endpoint: Endpoint;
  /** The parameters of the request in the first test. */
  query: string;
  /** The rows that the first test expects; undefined if the query could not be run, for the reason in `notes`. */
  rowCount: number | undefined;
  /** What a user should know, a sentence each. */
  notes: string[];
}

/** `engine` is closed by the caller. Throws one sentence, or a line for each fault; then nothing was created. */
export async function makeEndpoint(engine: GoogleSql, made: NewEndpoint): Promise<MadeEndpoint> {
  const { name, sqlDirectory, signal } = made;
  const folder = join(sqlDirectory, 'endpoints', name);
  requireNew(folder);
  const facts = await queryFacts(engine, made);
  signal.throwIfAborted();
  return await withScratch(async (scratch) => {
    const draft = await draftIn(scratch, engine, made, facts);
    const sample = await openSample(draft);
    try {
      const { values, notes } = await chooseExamples(draft, sample);
      await draft.write(examplesOf(draft.load(), values));
      signal.throwIfAborted();
      const tested = await draftTests(draft, sample, values);
      signal.throwIfAborted();
      writeFolder(draft.folder, folder);
      return {
        folder,
        endpoint: draft.load(),
        query: queryString(values),
        rowCount: tested.rowCount,
        notes: [...notes, ...notesOnQuery(facts), ...tested.notes],
      };
    } finally {
      await sample.close();
    }
  });
}

type Draft = Awaited<ReturnType<typeof draftIn>>;

/** What is made, with its folder in a directory that has nothing else in `endpoints/`. */
async function draftIn(scratch: string, engine: GoogleSql, made: NewEndpoint, facts: QueryFacts) {
  const { name, text, description, sqlDirectory, sources, nowMs, examples } = made;
  for (const part of ['endpoint.schema.json', 'routines', 'sources']) {
    symlinkSync(resolve(sqlDirectory, part), join(scratch, part));
  }
  const folder = join(scratch, 'endpoints', name);
  mkdirSync(join(folder, 'tests'), { recursive: true });
  const asComment = `-- ${description.replaceAll('\n', '\n-- ')}\n`;
  const comment = leadingComment(text) === '' ? asComment : '';
  writeFileSync(join(folder, 'query.sql'), comment + text);
  const definition = draftDefinition({ name, description, facts, sources, nowMs, examples });
  const write = async (given: Examples): Promise<void> => {
    const file = definitionFile(definition, given);
    writeFileSync(join(folder, 'endpoint.json'), await formatJson(file));
  };
  const inspect = (): InspectedEndpoint => {
    const [inspected] = inspectCatalogue(scratch).endpoints;
    if (inspected === undefined) throw new Error(`${folder} holds no endpoint.`);
    return inspected;
  };
  /** Throws if there is a fault. */
  const load = (): Endpoint => {
    const { endpoint, faults } = inspect();
    if (endpoint !== undefined) return endpoint;
    // The file will not exist; only a given example can be wrong.
    const messages = faults.map(({ message }) =>
      message.replace(/^parameters\.(\w+)\.example\b/, '--example $1'),
    );
    throw new Error(`${name} was not created: ${messages.join('; ')}`);
  };
  await write({});
  /** The tables that the query reads. */
  const read = sources.filter((source) => facts.analysis.tables.includes(source.name));
  return { ...made, engine, facts, read, folder, write, inspect, load };
}

type Sample = Awaited<ReturnType<typeof openSample>>;

/** The sample rows of the tables that the query reads, on which it can be run. */
async function openSample({ engine, read, sources, sqlDirectory, nowMs }: Draft) {
  const tables = await readSample(read, sqlDirectory, nowMs);
  // Loaded here, because help and faults of a query need no Google client.
  const { createCaseService } = await import('../check/cases/case-service.ts');
  const service = await createCaseService(engine, sources);
  const encoders = new Map(read.map((source) => [source, createTableRowEncoder(source)]));
  const encoded = new Map<object, EncodedRow>();
  const encode = (source: Source, row: object): EncodedRow => {
    const known = encoded.get(row) ?? encoders.get(source)?.(row) ?? [];
    encoded.set(row, known);
    return known;
  };
  return {
    tables,
    /** Rejects as the query does. */
    hasRows: async (
      endpoint: Endpoint,
      values: CanonicalParameters,
      some: Tables,
      atMs: number,
    ) => {
      const rows = [...some].map(
        ([source, own]) => [source.name, own.map((row) => encode(source, row))] as const,
      );
      await service.load(new Map(rows), atMs);
      return (await service.single(endpoint, values)).rows.length > 0;
    },
    close: () => service.close(),
  };
}

/** Values for which the query returns rows of the samples, if there are any; only then for optional parameters too. */
async function chooseExamples(draft: Draft, { tables, hasRows }: Sample) {
  const { nowMs, name, examples: given } = draft;
  const { uses } = draft.facts;
  const known = uses.literals.map(({ parameter }) => parameter);
  const listed = new Set([...known, ...given.keys(), ...uses.limits]);
  const free = uses.comparisons.filter(({ parameter }) => !listed.has(parameter));
  await draft.write(examplesOf(draft.load(), frequentValues(draft.load(), free, tables)));
  const endpoint = draft.load();
  const values = ownExample(endpoint);
  let fault = 'its example returns no rows';
  // First for all parameters, even those that may be absent.
  for (const tried of [ownExample(endpoint, () => true), values]) {
    const absent = [...endpoint.rules].map(([one, rule]) => [one, rule.read(undefined).value]);
    const all = { ...(Object.fromEntries(absent) as CanonicalParameters), ...tried };
    try {
      if (await hasRows(endpoint, all, tables, nowMs)) return { values: tried, notes: [] };
    } catch (error) {
      fault = causeText(toServiceError(error));
    }
  }
  const note = `${name}: ${fault}; look at the examples in endpoint.json.`;
  return { values, notes: endpoint.rules.size === 0 ? [] : [note] };
}

/** The examples of endpoint.json, with other values. */
function examplesOf({ parameters }: Endpoint, values: CanonicalParameters): Examples {
  const entries = Object.entries(parameters).map(([name, { example }]) => {
    const value = values[name] ?? null;
    const [first = '', ...others] = textsOf(value);
    if (first === '') return [name, example] as const;
    return [name, typeof value === 'string' ? first : [first, ...others]] as const;
  });
  return Object.fromEntries(entries);
}

/** Adds tests/first.json with the actual rows; runs all checks of `npm run check` on the endpoint. */
async function draftTests(draft: Draft, sample: Sample, values: CanonicalParameters) {
  const { engine, sources } = draft;
  const file = join(draft.folder, 'tests', 'first.json');
  const write = async (tests: unknown) => writeFileSync(file, await formatJson(tests));
  const { endpoint, faults, queries } = await checkEndpoint(engine, sources, draft.inspect());
  if (endpoint === undefined) {
    throw inAuthorFile(faults, draft);
  }
  const withoutTests = (reason: string) => {
    rmSync(join(draft.folder, 'tests'), { recursive: true });
    const note = `No test was created: the query runs only in BigQuery (${reason}).`;
    return { rowCount: undefined, notes: [note] };
  };
  const reason = await reasonNotRunLocally(engine, endpoint, queries);
  if (reason !== undefined) return withoutTests(reason);
  const hasRows = (tables: Tables, atMs: number): Promise<boolean> =>
    sample.hasRows(endpoint, values, tables, atMs).catch(() => false);
  const { nowMs } = draft;
  await write([await firstCase({ all: sample.tables, parameters: values, nowMs, hasRows })]);
  const cases = createCaseChecker(engine, sources, 'result');
  try {
    const recorded = await cases.check(endpoint, queries, draft.folder);
    if (recorded.faults.length > 0) throw inAuthorFile(recorded.faults, draft);
    if (recorded.notRun !== undefined) return withoutTests(recorded.notRun);
    const notes = recorded.warnings.map((warning) => withoutScratch(formatFault(warning), draft));
    // A query that fails with the examples records an error, which has no rows.
    const [{ expected_result: rows }] = JSON.parse(await readFile(file, 'utf8')) as [
      { expected_result?: unknown[] },
    ];
    if (rows?.length === 0) notes.unshift(EMPTY);
    return { rowCount: rows?.length ?? 0, notes };
  } finally {
    await cases.close();
  }
}

/** In the author's file, which has not the comment that the draft begins with. */
function inAuthorFile(faults: readonly DefinitionFault[], draft: Draft): Error {
  const added = readFileSync(join(draft.folder, 'query.sql'), 'utf8').replace(draft.text, '');
  const lines = faults.map((fault) => {
    if (!fault.file.endsWith('query.sql')) return withoutScratch(formatFault(fault), draft);
    const { line, message } = fault;
    const place = line === undefined ? {} : { line: line - added.split('\n').length + 1 };
    const told = message.replace(/ \(in the test .*\)$/, '');
    return formatFault({ ...fault, ...place, file: draft.file, message: told });
  });
  return new Error(lines.join('\n'));
}

const EMPTY =
  'The result in tests/first.json has no rows, so this test shows nothing: add rows to it for which the query returns some, and run npm run check -- --update.';

function withoutScratch(text: string, { folder }: Draft): string {
  return text.replaceAll(`${folder}/`, '');
}

function notesOnQuery({ types, uses, analysis }: QueryFacts): string[] {
  const nameless = analysis.columns.filter(({ name }) => /^f\d+_$/.test(name));
  return [
    ...[...uses.testedForNull].flatMap((name) => {
      const type = types.get(name) ?? '';
      if (type !== 'STRING' && !type.startsWith('ARRAY<')) return [];
      const [absent, test] =
        type === 'STRING' ? ["''", `@${name} = ''`] : ['[]', `ARRAY_LENGTH(@${name}) = 0`];
      const remedy = `write (${test} OR …), because @${name} is never NULL`;
      return `@${name} is ${type === 'STRING' ? 'a' : 'an'} ${type}, and an absent one is ${absent}: ${remedy}.`;
    }),
    ...nameless.map(({ name }) => `The column ${name} has no name: add one with AS.`),
  ];
}
