// Evaluates a query in the engine: registers its tables and functions, and runs parts that do not depend on rows once.
import { isWord, tokens } from '../../lexer/sql-tokens.ts';
import type { EvaluateRequest } from '../analysis/google-sql.ts';
import type { AnalyzeResponse } from '../analysis/sql-script.ts';
import type { EngineProcess } from '../engine/engine-process.ts';
import type { engineProtocol } from '../engine/engine-protocol.ts';
import { isOutOfMemory } from '../engine/error.ts';
import { engineCatalogue, registration } from '../values/engine-catalogue.ts';
import type { EngineValue } from '../values/engine-values.ts';
import type { EngineParameter } from '../values/query-parameters.ts';
import { QUANTILES } from './functions/approx-aggregates.ts';
import { partsOf } from './functions/local-functions.ts';
import { type EngineRows, evaluatedOnce } from './rewrites/evaluated-once.ts';

/** Longer texts are not rewritten to evaluate parts once: a second analysis takes as long as the first. */
const STAGED_CHARACTERS_MAX = 32_768;

export function createEvaluation(
  protocol: ReturnType<typeof engineProtocol>,
  common: { languageOptions: object },
  analysisOptions: object,
) {
  /** Its tables and functions are known to the engine for the time of the evaluation. */
  async function run(process: EngineProcess, request: EvaluateRequest): Promise<EngineRows> {
    const { tables = [], functions = [] } = request;
    const known = [...partsOf(QUANTILES), ...functions];
    const simpleCatalog = engineCatalogue(tables, known, common.languageOptions);
    const encoded = protocol.method('RegisterCatalog').request.encode({ simpleCatalog });
    const asked = registration(encoded, tables);
    const { registeredId } = await process.call<Registered>('RegisterCatalog', asked);
    try {
      return await runStaged({ ...request, process, registeredId });
    } finally {
      void process.call('UnregisterCatalog', { registeredId }).catch(() => undefined);
    }
  }

  async function runWhole(query: RegisteredQuery): Promise<EngineRows> {
    const { process, sql, parameters = [], signal, registeredId } = query;
    const options = { ...common, queryParameters: typesOf(parameters) };
    const params = parameters.map(({ name, value }) => ({ name, value }));
    const asked = { sql, options, registeredCatalogId: registeredId, params };
    const answer = await process.call<EvaluateResponse>('EvaluateQuery', asked, signal);
    const { prepared, content } = answer;
    return { columns: prepared?.columns ?? [], rows: rowsOf(content?.tableData) };
  }

  /** Runs the query in stages, or whole if these fail: an error must be that of the unchanged query. */
  async function runStaged(query: RegisteredQuery): Promise<EngineRows> {
    const staged = await stagedQuery(query).catch(() => undefined);
    if (staged === undefined || staged.stages.length === 0) return await runWhole(query);
    try {
      const parameters = [...(query.parameters ?? [])];
      for (const stage of staged.stages) {
        const rows = await runStaged({ ...query, sql: stage.sql, parameters });
        parameters.push(stage.parameter(rows));
      }
      return await runWhole({ ...query, sql: staged.sql, parameters });
    } catch (err) {
      query.signal?.throwIfAborted();
      if (query.process.hasEnded() || isOutOfMemory(err)) throw err;
      return await runWhole(query);
    }
  }

  async function stagedQuery({ process, sql, parameters = [], registeredId }: RegisteredQuery) {
    const selects = tokens(sql).filter((token) => isWord(token, 'SELECT')).length;
    if (sql.length > STAGED_CHARACTERS_MAX || selects < 2) return undefined;
    const options = { ...analysisOptions, queryParameters: typesOf(parameters) };
    const asked = { options, registeredCatalogId: registeredId, sqlStatement: sql };
    return evaluatedOnce(sql, (await analysisOf(process, asked)).resolvedStatement);
  }

  return run;
}

export const analysisOf = (process: EngineProcess, request: object) =>
  process.call<AnalyzeResponse>('Analyze', request);

function typesOf(parameters: readonly EngineParameter[]) {
  return parameters.map(({ name, type }) => ({ name, type }));
}

interface TableData {
  row?: { cell?: EngineValue[] }[];
}

const rowsOf = ({ row = [] }: TableData = {}): EngineValue[][] => row.map(({ cell = [] }) => cell);

interface Registered {
  registeredId: string;
}

/** A query whose tables and functions a process knows by an id. */
interface RegisteredQuery extends EvaluateRequest, Registered {
  process: EngineProcess;
}

interface EvaluateResponse {
  content?: { tableData?: TableData };
  prepared?: { columns?: EngineRows['columns'] };
}
