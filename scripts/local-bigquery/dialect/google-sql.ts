// Analyses and runs GoogleSQL, the dialect of BigQuery, with its reference engine.
import type { AnalyzeRequest, EvaluateRequest, GoogleSql } from '../analysis/google-sql.ts';
import { QUANTILES } from './functions/approx-aggregates.ts';
import { engineCatalogue, registration, type SqlFunction } from '../values/engine-catalogue.ts';
import { engineRoot, createRegisteredCatalogue } from '../engine/engine-process.ts';
import type { EngineProcess, EngineProcessOptions } from '../engine/engine-process.ts';
import { engineProtocol } from '../engine/engine-protocol.ts';
import { superviseEngine } from '../engine/engine-supervisor.ts';
import { type EngineValue, decodeRow } from '../values/engine-values.ts';
import { GoogleSqlError } from '../engine/error.ts';
import { missingFunctions, partsOf } from './functions/local-functions.ts';
import { type MappedText, atOrigin, chained, errorAt, ofAuthor } from '../analysis/mapped-text.ts';
import engineFeatures from './engine-features.json' with { type: 'json' };
import { onlyInBigQuery, refuseTypes } from './only-in-bigquery.ts';
import { type EngineParameter, engineParameterType } from '../values/query-parameters.ts';
import { evaluatedOnce, type EngineRows } from './rewrites/evaluated-once.ts';
import { isWord, tokens } from '../../lexer/sql-tokens.ts';
import { type Analysis, type AnalyzeResponse, analyzeScript } from '../analysis/sql-script.ts';
import { definedName, errorInFunctions, withoutLocalNames } from './rewrites/author-places.ts';
import { standardSyntax } from './syntax/standard-syntax.ts';
import { resultFields } from '../values/table-schema.ts';

/** Only their types are known here. */
const systemVariables = engineFeatures.systemVariables.map((name) => ({
  namePath: [name],
  type: { typeKind: 'TYPE_STRING' },
}));

/** For calls that cannot have crashed the engine: they may be repeated. */
const REPEATED = { repeats: true };
/** Longer texts are not rewritten to evaluate parts once: a second analysis takes as long as the first. */
const STAGED_CHARACTERS_MAX = 32_768;

/** Takes about 0.4 s; ends with this process. Started again if it ends; open calls fail with the kind `engine`. */
export async function startGoogleSql(options: EngineProcessOptions = {}): Promise<GoogleSql> {
  const protocol = engineProtocol(engineRoot(options.packageDirectory));
  const { decode: decodeAnalysis } = protocol.method('Analyze').response;
  const tableData = protocol.message('TableData');
  const engine = await superviseEngine(options);
  const language = protocol.part('LanguageOptionsProto', await engine.use(languageOptions));
  const common = {
    languageOptions: language,
    errorMessageMode: 'ERROR_MESSAGE_ONE_LINE',
    defaultTimezone: 'UTC',
    // Those that the evaluator needs.
    enabledRewrites: engineFeatures.rewrites,
  };
  const analysisOptions = {
    ...common,
    // Rewriting would put the bodies of functions, and their positions, into the tree.
    enabledRewrites: [],
    pruneUnusedColumns: true,
    // The whole text of an expression, so that a constant can be evaluated by itself.
    parseLocationRecordType: 'PARSE_LOCATION_RECORD_FULL_NODE_SCOPE',
  };
  let names: Promise<ReadonlySet<string>> | undefined;
  const namesTaken = () => {
    names ??= engine.use((process) => builtInNames(process, language), REPEATED);
    names.catch(() => (names = undefined));
    return names;
  };

  async function analyzeHere(request: AnalyzeRequest): Promise<Analysis> {
    const source = chained(ofAuthor(request.sql), standardSyntax);
    try {
      return await analyzeStandard(request, source);
    } catch (err) {
      throw atOrigin(withoutLocalNames(err, source), source);
    }
  }

  async function analyzeStandard(request: AnalyzeRequest, source: MappedText): Promise<Analysis> {
    const { tables, parameters, infersOthers = parameters === undefined } = request;
    const input = source.text;
    const analysis = await analyzeScript(source, async (bytePosition, functions) => {
      const names = functions.length > 0 ? await namesTaken() : new Set();
      const refused = functions.find(({ name }) => names.has(name.toLowerCase()));
      if (refused !== undefined) throw builtInName(input, refused);
      const known = [...missingFunctions(input, functions), ...functions];
      const options = {
        ...{ ...analysisOptions, queryParameters: parameterTypes(parameters), systemVariables },
        allowUndeclaredParameters: infersOthers,
      };
      const asked = {
        options,
        simpleCatalog: engineCatalogue(tables, known, language, true),
        parseResumeLocation: { input, bytePosition },
      };
      const analyzed = engine.use((process) => process.analyze(asked), REPEATED);
      const answer = await analyzed.catch((err: unknown) => {
        throw errorInFunctions(err, functions, input);
      });
      const response = decodeAnalysis(answer) as AnalyzeResponse;
      refuseTypes(response.resolvedStatement, input);
      return response;
    });
    if (!request.withTree) {
      delete analysis.resolved;
      delete analysis.bodies;
    }
    return analysis;
  }

  const encodeRows = (rows: readonly (readonly EngineValue[])[]): Buffer =>
    tableData.encode({ row: rows.map((cell) => ({ cell })) });

  async function evaluateWhole(request: EvaluateRequest): Promise<EngineRows> {
    const { sql, catalogue, parameters = [], signal } = request;
    const options = { ...common, queryParameters: typesOf(parameters) };
    const params = parameters.map(({ name, value }) => ({ name, value }));
    const { prepared, content } = await engine.use(async (process) => {
      const asked = { sql, options, registeredCatalogId: await catalogue.idIn(process), params };
      return process.call<EvaluateResponse>('EvaluateQuery', asked, signal);
    });
    return { columns: prepared?.columns ?? [], rows: rowsOf(content?.tableData) };
  }

  /** Evaluates the query in stages, or whole if these fail: an error must be that of the unchanged query. */
  async function evaluateStaged(request: EvaluateRequest): Promise<EngineRows> {
    const staged = await stagedQuery(request).catch(() => undefined);
    if (staged === undefined || staged.stages.length === 0) return await evaluateWhole(request);
    try {
      const parameters = [...(request.parameters ?? [])];
      for (const stage of staged.stages) {
        const found = await evaluateStaged({ ...request, sql: stage.sql, parameters });
        parameters.push(stage.parameter(found));
      }
      return await evaluateWhole({ ...request, sql: staged.sql, parameters });
    } catch {
      request.signal?.throwIfAborted();
      return await evaluateWhole(request);
    }
  }

  async function stagedQuery(request: EvaluateRequest) {
    const { sql, parameters = [] } = request;
    const selects = tokens(sql).filter((token) => isWord(token, 'SELECT')).length;
    if (sql.length > STAGED_CHARACTERS_MAX || selects < 2) return undefined;
    const queryParameters = typesOf(parameters);
    return evaluatedOnce(sql, await resolvedTree(request, { queryParameters }));
  }

  /** The resolved tree of a query whose tables and functions are those of the catalogue. */
  async function resolvedTree({ sql, catalogue }: EvaluateRequest, given: object) {
    const options = { ...analysisOptions, ...given };
    const answer = await engine.use(async (process) => {
      const registeredCatalogId = await catalogue.idIn(process);
      return process.analyze({ options, registeredCatalogId, sqlStatement: sql });
    }, REPEATED);
    return (decodeAnalysis(answer) as AnalyzeResponse).resolvedStatement;
  }

  return {
    analyze: async (request) => {
      try {
        return await analyzeHere(request);
      } catch (err) {
        throw onlyInBigQuery(GoogleSqlError.from(err), ofAuthor(request.sql).original);
      }
    },

    registerCatalogue: async (tables, functions) => {
      const catalogue = createRegisteredCatalogue(async (process) => {
        const known = [...partsOf(QUANTILES), ...functions];
        const simpleCatalog = engineCatalogue(tables, known, language);
        const encoded = protocol.method('RegisterCatalog').request.encode({ simpleCatalog });
        const asked = registration(encoded, tables);
        const answer = await process.call<{ registeredId: string }>('RegisterCatalog', asked);
        return answer.registeredId;
      });
      await engine.use((process) => catalogue.idIn(process), REPEATED);
      return catalogue;
    },

    unregisterCatalogue: async (catalogue) => {
      await engine.use(async (process) => {
        const registeredId = await catalogue.knownIdIn(process);
        if (registeredId) await process.call('UnregisterCatalog', { registeredId });
      });
    },

    evaluate: async (request) => {
      const { columns, rows } = await evaluateStaged(request);
      const fields = resultFields(columns);
      const named = columns.map(({ type }, index) => ({ name: fields[index]?.name ?? '', type }));
      return { columns: fields, rows: rows.map((cells) => decodeRow(cells, named)) };
    },

    encodeRows,

    decodeRows: (encoded) => rowsOf(tableData.decode(encoded)),

    close: () => engine.close(),
  };
}

function parameterTypes(parameters: AnalyzeRequest['parameters'] = {}) {
  return Object.entries(parameters).map(([name, type]) => ({
    name,
    type: 'typeKind' in type ? type : engineParameterType(type),
  }));
}

function typesOf(parameters: readonly EngineParameter[]) {
  return parameters.map(({ name, type }) => ({ name, type }));
}

interface TableData {
  row?: { cell?: EngineValue[] }[];
}

const rowsOf = ({ row = [] }: TableData = {}): EngineValue[][] => row.map(({ cell = [] }) => cell);

interface EvaluateResponse {
  content?: { tableData?: TableData };
  prepared?: { columns?: EngineRows['columns'] };
}

async function languageOptions(engine: EngineProcess): Promise<object> {
  const maximum = await engine.call<{ enabledLanguageFeatures: string[] }>('GetLanguageOptions', {
    maximumFeatures: true,
  });
  // BigQuery has some that the engine's maximum set lacks, and lacks timestamps with nanoseconds and arrays that can be compared.
  const { inDevelopment, notInBigQuery } = engineFeatures;
  return {
    ...maximum,
    productMode: 'PRODUCT_EXTERNAL',
    // An empty list allows every kind of statement, so that its kind can be reported.
    supportedStatementKinds: [],
    enabledLanguageFeatures: [
      ...maximum.enabledLanguageFeatures.filter((name) => !notInBigQuery.includes(name)),
      ...inDevelopment,
    ],
  };
}

/** Names and aliases of the functions that the engine has with these options, in lower case. */
async function builtInNames(process: EngineProcess, languageOptions: object) {
  const functions = await process.call<{
    function?: { namePath?: string[]; options?: { aliasName?: string } }[];
  }>('GetBuiltinFunctions', { languageOptions });
  return new Set(
    (functions.function ?? []).flatMap(({ namePath = [], options }) =>
      [namePath.join('.'), options?.aliasName ?? []].flat().map((name) => name.toLowerCase()),
    ),
  );
}

/** At the name in the text; with such a function the engine would crash. */
function builtInName(sql: string, { name }: SqlFunction): GoogleSqlError {
  const message = `Function ${name} has the name of a built-in function, which the local BigQuery cannot replace: give it another name`;
  return errorAt(sql, definedName(tokens(sql), name)?.start ?? 0, message);
}
