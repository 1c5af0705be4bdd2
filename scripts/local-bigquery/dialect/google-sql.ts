// Analyses and runs GoogleSQL, the dialect of BigQuery, with its reference engine.
import type { AnalyzeRequest, GoogleSql } from '../analysis/google-sql.ts';
import { engineCatalogue, type SqlFunction } from '../values/engine-catalogue.ts';
import { engineRoot } from '../engine/engine-process.ts';
import type { EngineProcess, EngineProcessOptions } from '../engine/engine-process.ts';
import { engineProtocol } from '../engine/engine-protocol.ts';
import { superviseEngine } from '../engine/engine-supervisor.ts';
import { decodeRow } from '../values/engine-values.ts';
import { GoogleSqlError } from '../engine/error.ts';
import { missingFunctions } from './functions/local-functions.ts';
import { type MappedText, atOrigin, errorAt } from '../analysis/mapped-text.ts';
import engineFeatures from './engine-features.json' with { type: 'json' };
import { onlyInBigQuery, refuseOthers } from './only-in-bigquery.ts';
import { engineParameterType } from '../values/query-parameters.ts';
import { analysisOf, createEvaluation } from './evaluation.ts';
import { tokens } from '../../lexer/sql-tokens.ts';
import { type Analysis, analyzeScript } from '../analysis/sql-script.ts';
import { definedName, errorInFunctions, inAuthorWords } from './rewrites/author-places.ts';
import { withGroupKeys } from './syntax/group-keys.ts';
import { withoutPipes } from './syntax/pipe-syntax.ts';
import { resultFields } from '../values/table-schema.ts';

/** Only their types are known here. */
const systemVariables = engineFeatures.systemVariables.map((name) => ({
  namePath: [name],
  type: { typeKind: 'TYPE_STRING' },
}));

/** For calls that cannot have crashed the engine: they may be repeated. */
const REPEATED = { repeats: true };
const MIXED = 'FEATURE_V_1_3_CONCAT_MIXED_TYPES';

/** Takes about 0.4 s; ends with this process. Started again if it ends; open calls fail with the kind `engine`. */
export async function startGoogleSql(options: EngineProcessOptions = {}): Promise<GoogleSql> {
  const protocol = engineProtocol(engineRoot(options.packageDirectory));
  const tableData = protocol.message('TableData');
  const engine = await superviseEngine(options);
  const all = await engine.use(languageOptions);
  const language = protocol.part('LanguageOptionsProto', all);
  // In BigQuery CONCAT takes values of all types, and `||` does not. The engine has one feature for both.
  const enabledLanguageFeatures = all.enabledLanguageFeatures.filter((name) => name !== MIXED);
  const strict = protocol.part('LanguageOptionsProto', { ...all, enabledLanguageFeatures });
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
  const evaluate = createEvaluation(protocol, common, analysisOptions);
  let names: Promise<ReadonlySet<string>> | undefined;
  const namesTaken = () => {
    names ??= engine.use((process) => builtInNames(process, language), REPEATED);
    names.catch(() => (names = undefined));
    return names;
  };

  /** Text that is not valid has no tree: the analysis reports the fault. */
  const parse = (sqlStatement: string) =>
    engine
      .use(
        (process) =>
          process.call<object>('Parse', { sqlStatement, allowScript: true, options: language }),
        REPEATED,
      )
      .catch(() => undefined);

  async function analyzeHere(request: AnalyzeRequest): Promise<Analysis> {
    const source = await withGroupKeys(withoutPipes(request.sql), parse);
    try {
      return await analyzeStandard(request, source);
    } catch (err) {
      throw atOrigin(inAuthorWords(GoogleSqlError.from(err), request.sql), source);
    }
  }

  async function analyzeStandard(request: AnalyzeRequest, source: MappedText): Promise<Analysis> {
    const { tables, parameters, infersOthers = parameters === undefined } = request;
    const input = source.text;
    const ownLanguage = /\bCONCAT\b/i.test(input) ? language : strict;
    const analysis = await analyzeScript(source, async (bytePosition, functions) => {
      const names = functions.length > 0 ? await namesTaken() : new Set();
      const refused = functions.find(({ name }) => names.has(name.toLowerCase()));
      if (refused !== undefined) throw builtInName(input, refused);
      const known = [...missingFunctions(input, functions), ...functions];
      const options = {
        ...{ ...analysisOptions, queryParameters: parameterTypes(parameters), systemVariables },
        ...{ allowUndeclaredParameters: infersOthers, languageOptions: ownLanguage },
      };
      const asked = {
        options,
        simpleCatalog: engineCatalogue(tables, known, ownLanguage, true),
        parseResumeLocation: { input, bytePosition },
      };
      const analyzed = engine.use((process) => analysisOf(process, asked), REPEATED);
      const response = await analyzed.catch((err: unknown) => {
        throw errorInFunctions(err, functions);
      });
      refuseOthers(response.resolvedStatement, input);
      return response;
    });
    if (!request.withTree) {
      delete analysis.resolved;
      delete analysis.bodies;
    }
    return analysis;
  }

  return {
    analyze: async (request) => {
      try {
        return await analyzeHere(request);
      } catch (err) {
        throw onlyInBigQuery(GoogleSqlError.from(err), request.sql);
      }
    },

    evaluate: async (request) => {
      const { columns, rows } = await engine.use((process) => evaluate(process, request));
      const fields = resultFields(columns);
      const named = columns.map(({ type }, index) => ({ name: fields[index]?.name ?? '', type }));
      return { columns: fields, rows: rows.map((cells) => decodeRow(cells, named)) };
    },

    encodeRows: (rows) => tableData.encode({ row: rows.map((cell) => ({ cell })) }),

    close: () => engine.close(),
  };
}

function parameterTypes(parameters: AnalyzeRequest['parameters'] = {}) {
  return Object.entries(parameters).map(([name, type]) => ({
    name,
    type: 'typeKind' in type ? type : engineParameterType(type),
  }));
}

async function languageOptions(engine: EngineProcess) {
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
