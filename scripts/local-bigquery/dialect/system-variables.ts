// The system variables that a SELECT can read: their types, and their values here.
import { replaceTokens } from '../../lexer/sql-tokens.ts';
import type { EngineType } from '../values/table-schema.ts';

export interface QueryContext {
  projectId: string;
  datasetId?: string | undefined;
  jobId?: string | undefined;
}

const STRING: EngineType = { typeKind: 'TYPE_STRING' };

const variables: Readonly<Record<string, (context: QueryContext) => string | undefined>> = {
  current_job_id: ({ jobId }) => jobId,
  dataset_id: ({ datasetId }) => datasetId,
  dataset_project_id: ({ projectId }) => projectId,
  last_job_id: () => undefined,
  project_id: ({ projectId }) => projectId,
  query_label: () => undefined,
  session_id: () => undefined,
  time_zone: () => 'UTC',
};

export const systemVariableTypes = Object.keys(variables).map((name) => ({
  namePath: [name],
  type: STRING,
}));

export function withSystemVariables(sql: string, context: QueryContext): string {
  return replaceTokens(sql, ({ kind, text }) => {
    const name = text.slice(2).replaceAll('`', '').toLowerCase();
    const valueOf = kind === 'parameter' && text.startsWith('@@') ? variables[name] : undefined;
    if (valueOf === undefined) return undefined;
    const value = valueOf(context);
    return { text: value === undefined ? 'CAST(NULL AS STRING)' : JSON.stringify(value) };
  });
}
