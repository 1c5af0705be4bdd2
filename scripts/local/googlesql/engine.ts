// Analyses and runs GoogleSQL, the dialect of BigQuery, with its reference engine.
import { quantilesFunction } from './approx-aggregates.ts';
import { embedded } from './encoded-rows.ts';
import { engineCatalogue, registration } from './engine-catalogue.ts';
import type { Table, TableContents } from './engine-catalogue.ts';
import { startEngineProcess } from './engine-process.ts';
import type { EngineProcess, EngineProcessOptions } from './engine-process.ts';
import type { EngineValue } from './engine-values.ts';
import { GoogleSqlError } from './error.ts';
import { engineParameterType } from './query-parameters.ts';
import type { EngineParameter, ParameterType } from './query-parameters.ts';
import { decodeRow } from './row-values.ts';
import type { Row } from './row-values.ts';
import { analyzeScript } from './sql-script.ts';
import type { Analysis, SqlFunction } from './sql-script.ts';
import { resultFields } from './table-schema.ts';
import type { EngineType, TableField } from './table-schema.ts';

export interface AnalyzeRequest {
  /** One statement, after any number of CREATE TEMP FUNCTION. */
  sql: string;
  tables: readonly Table[];
  /** Declared parameters by name. Without it parameters are inferred; with it others are an error. */
  parameters?: Readonly<Record<string, ParameterType | EngineType>>;
  /** Infers the parameters that `parameters` does not declare. */
  infersOthers?: boolean;
}

export interface EvaluateRequest {
  /** One SELECT whose functions and tables are those of the catalogue. */
  sql: string;
  catalogue: RegisteredCatalogue;
  parameters?: readonly EngineParameter[];
  signal?: AbortSignal;
}

export interface QueryRows {
  columns: TableField[];
  rows: Row[];
}

/** Tables with their contents and functions, held by the engine until `unregisterCatalogue`. */
export interface RegisteredCatalogue {
  readonly id: string;
}

/** Every method throws `GoogleSqlError` with the message BigQuery would give, where it gives one. */
export interface GoogleSql {
  analyze(request: AnalyzeRequest): Promise<Analysis>;
  registerCatalogue(
    tables: readonly TableContents[],
    functions: readonly SqlFunction[],
  ): Promise<RegisteredCatalogue>;
  unregisterCatalogue(catalogue: RegisteredCatalogue): Promise<void>;
  evaluate(request: EvaluateRequest): Promise<QueryRows>;
  /** Encodes rows for `TableContents`; each row is one value per column. */
  encodeRows(rows: readonly (readonly EngineValue[])[]): Buffer;
  /** Ends the engine; everything under way fails. */
  close(): Promise<void>;
}

/** Starts an engine, which ends with this process at the latest. Takes about 0.4 seconds. */
export async function startGoogleSql(options: EngineProcessOptions = {}): Promise<GoogleSql> {
  const engine = await startEngineProcess(options);
  const language = await languageOptions(engine);
  const common = {
    languageOptions: language,
    errorMessageMode: 'ERROR_MESSAGE_ONE_LINE',
    defaultTimezone: 'UTC',
    enabledRewrites: rewrites,
  };
  const quantiles: SqlFunction = {
    name: quantilesFunction.name,
    arguments: quantilesFunction.argumentNames.map((name) => ({ name })),
    body: quantilesFunction.body,
  };
  const request = async <Response>(method: string, body: object, signal?: AbortSignal) => {
    try {
      return await engine.call<Response>(method, body, signal);
    } catch (err) {
      throw GoogleSqlError.from(err);
    }
  };

  return {
    analyze: ({ sql, tables, parameters, infersOthers = parameters === undefined }) =>
      analyzeScript(sql, (input, bytePosition, functions) =>
        request('Analyze', {
          options: {
            ...common,
            // Rewriting would put the bodies of functions, and their positions, into the tree.
            enabledRewrites: [],
            pruneUnusedColumns: true,
            // The whole text of an expression, so that a constant can be evaluated by itself.
            parseLocationRecordType: 'PARSE_LOCATION_RECORD_FULL_NODE_SCOPE',
            allowUndeclaredParameters: infersOthers,
            queryParameters: Object.entries(parameters ?? {}).map(([name, type]) => ({
              name,
              type: 'typeKind' in type ? type : engineParameterType(type),
            })),
          },
          simpleCatalog: engineCatalogue(tables, functions, language),
          parseResumeLocation: { input, bytePosition },
        }),
      ),

    registerCatalogue: async (tables, functions) => {
      const catalogue = engineCatalogue(tables, [quantiles, ...functions], language);
      try {
        const request = registration(
          engine.encodeRequest('RegisterCatalog', { simpleCatalog: catalogue }),
          tables,
        );
        const { registeredId } = await engine.callEncoded<{ registeredId: string }>(
          'RegisterCatalog',
          request,
        );
        return { id: registeredId };
      } catch (err) {
        throw GoogleSqlError.from(err);
      }
    },

    unregisterCatalogue: async (catalogue) => {
      await request('UnregisterCatalog', { registeredId: catalogue.id });
    },

    evaluate: async ({ sql, catalogue, parameters = [], signal }) => {
      const response = await request<EvaluateResponse>(
        'EvaluateQuery',
        {
          sql,
          options: {
            ...common,
            queryParameters: parameters.map(({ name, type }) => ({ name, type })),
          },
          registeredCatalogId: catalogue.id,
          params: parameters.map(({ name, value }) => ({ name, value })),
        },
        signal,
      );
      const columns = response.prepared?.columns ?? [];
      const types = columns.map((column) => column.type);
      return {
        columns: resultFields(columns),
        rows: (response.content?.tableData?.row ?? []).map((row) =>
          decodeRow(row.cell ?? [], types),
        ),
      };
    },

    encodeRows: (rows) =>
      embedded(
        embedded(
          engine.encodeResponse('EvaluateQuery', {
            content: { tableData: { row: rows.map((cell) => ({ cell })) } },
          }),
        ),
      ),

    close: () => engine.close(),
  };
}

interface EvaluateResponse {
  content?: { tableData?: { row?: { cell?: EngineValue[] }[] } };
  prepared?: { columns?: { name?: string; type: EngineType }[] };
}

/** Features that BigQuery has, and that the engine's maximum set lacks as still in development. */
const alsoInBigQuery = [
  'FEATURE_INTERVAL_TYPE',
  'FEATURE_TIME_BUCKET_FUNCTIONS',
  'FEATURE_V_1_4_GROUPING_SETS',
  'FEATURE_V_1_4_GROUPING_BUILTIN',
  'FEATURE_V_1_4_LIKE_ANY_SOME_ALL_ARRAY',
  'FEATURE_V_1_4_LIKE_ANY_SOME_ALL_SUBQUERY',
];

/** Features that the engine has and BigQuery lacks: timestamps with nanoseconds, `items[0]`. */
const notInBigQuery = new Set(['FEATURE_TIMESTAMP_NANOS', 'FEATURE_V_1_4_BARE_ARRAY_ACCESS']);

/** Rewrites that the evaluator needs. */
const rewrites = [
  'REWRITE_FLATTEN',
  'REWRITE_ARRAY_FILTER_TRANSFORM',
  'REWRITE_UNPIVOT',
  'REWRITE_PIVOT',
  'REWRITE_ARRAY_INCLUDES',
  'REWRITE_TYPEOF_FUNCTION',
  'REWRITE_WITH_EXPR',
  'REWRITE_INLINE_SQL_FUNCTIONS',
  'REWRITE_NULLIFERROR_FUNCTION',
  'REWRITE_LIKE_ANY_ALL',
  'REWRITE_BUILTIN_FUNCTION_INLINER',
  'REWRITE_SET_OPERATION_CORRESPONDING',
  'REWRITE_GROUPING_SET',
];

async function languageOptions(engine: EngineProcess): Promise<object> {
  const maximum = await engine.call<{ enabledLanguageFeatures: string[] }>('GetLanguageOptions', {
    maximumFeatures: true,
  });
  return {
    ...maximum,
    productMode: 'PRODUCT_EXTERNAL',
    // An empty list allows every kind of statement, so that its kind can be reported.
    supportedStatementKinds: [],
    enabledLanguageFeatures: [...maximum.enabledLanguageFeatures, ...alsoInBigQuery].filter(
      (feature) => !notInBigQuery.has(feature),
    ),
  };
}
