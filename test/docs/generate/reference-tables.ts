// The tables of errors, of settings and of the report of warming, whose meanings are in JSON files of functions/.
import { SETTINGS, type Setting } from '../../../functions/config.ts';
import { REASONS, type Reason } from '../../../functions/core/errors.ts';
import report from '../../../functions/warming/report.json' with { type: 'json' };
import { LOCAL_SETTINGS } from '../../../scripts/cli/project.ts';
import { DEPLOYED_BY } from '../../infra/deployed-by.ts';
import { code, table } from './markdown.ts';

/** Who can remove the cause, if not the caller: the author of the query, the operator, or time. */
const BY: Partial<Record<Reason, 'endpoint' | 'operator' | 'retry'>> = {
  BYTES_BILLED_LIMIT: 'endpoint',
  RESULT_BYTES_LIMIT: 'endpoint',
  NOT_RUN_LOCALLY: 'endpoint',
  QUERY_DEADLINE_EXCEEDED: 'endpoint',
  ORIGIN_NOT_ALLOWED: 'operator',
  QUERY_QUOTA_EXHAUSTED: 'operator',
  INTERNAL: 'operator',
  JOBS_RUNNING: 'retry',
  QUERY_RUNNING: 'retry',
  QUERY_STARTING: 'retry',
  INSTANCE_BUSY: 'retry',
  INSTANCE_STOPPING: 'retry',
  QUERY_ENGINE_UNAVAILABLE: 'retry',
  KEY_STORE_UNAVAILABLE: 'retry',
  RESULT_STORE_UNAVAILABLE: 'retry',
};

const FIXES: Readonly<Record<Reason, string>> = {
  INVALID_PARAMETERS:
    'Correct the parameters that `fieldViolations` or, without it, the message names.',
  MALFORMED_QUERY_STRING: 'Percent-encode the values as UTF-8, or send fewer parameters.',
  BYTES_BILLED_LIMIT:
    'Narrow the request. If that is not possible, filter the partition column in the query, or raise the limit.',
  RESULT_BYTES_LIMIT:
    'Narrow the request. If that is not possible, select fewer columns or rows in the query, or raise the limit.',
  API_KEY_INVALID:
    'Send a valid key as `X-API-KEY` or `Authorization: Bearer`. If you chose the key yourself and sent it before it was created, it can be refused for up to 10 seconds after its creation.',
  TOKEN_INVALID:
    'Correct what the message names in the backend that signs, or fetch a new token from it.',
  PARAMETER_NOT_ALLOWED: 'Use one of the `allowedValues` in the catalogue, or ask for another key.',
  ORIGIN_NOT_ALLOWED: 'Add the origin to `CORS_ORIGINS`.',
  ENDPOINT_NOT_FOUND: 'Find its name in the catalogue, `GET /api/endpoints`, with the same key.',
  PATH_NOT_FOUND:
    'Use `/api/endpoints/query/<id or name>`. For `/` and `/mcp`, ask the operator to turn on `CONSOLE` or `MCP`.',
  METHOD_NOT_ALLOWED: 'Use a method from the `Allow` header.',
  NOT_ACCEPTABLE:
    'Accept `application/json` (for rows also `text/csv` or `application/x-ndjson`), or omit the header.',
  BODY_TOO_LARGE: 'Send shorter arguments.',
  KEY_LOOKUPS_EXHAUSTED: 'Stop sending unknown keys, then repeat the request.',
  RATE_LIMITED: 'Repeat the request after `Retry-After`.',
  BYTES_PER_DAY: 'Wait until `resetTime`, or ask for a key with more bytes a day.',
  QUERY_QUOTA_EXHAUSTED:
    'Repeat the request later. If it persists, check the quotas of the project, or use a reservation.',
  JOBS_RUNNING: 'Repeat the request later, once one of the running queries has ended.',
  INTERNAL: 'Look up the `errorId` of the response in the log.',
  NOT_RUN_LOCALLY:
    'Run it with `npm start -- --bigquery PROJECT`, or change what the message names.',
  QUERY_RUNNING:
    'Repeat the same request after `Retry-After`, until it has rows. The query does not run again.',
  QUERY_STARTING: 'Repeat the same request after `Retry-After`.',
  INSTANCE_BUSY: 'Read the answers, send fewer large requests at once, and repeat.',
  INSTANCE_STOPPING: 'Repeat the request. Another instance answers it.',
  QUERY_ENGINE_UNAVAILABLE: 'Repeat the request later.',
  KEY_STORE_UNAVAILABLE: 'Repeat the request later. If it persists, check the log.',
  RESULT_STORE_UNAVAILABLE:
    'Repeat the request later. For the function `warm`, the scheduler does so.',
  QUERY_DEADLINE_EXCEEDED:
    'Narrow the request. A repeated request runs the query again. If it persists, make the query faster, or allow it more time.',
};

export function errorTable(): string {
  const reasons = Object.keys(REASONS) as Reason[];
  const header = ['reason', 'code', 'status', '`Retry-After`', 'when', 'what to do', 'who'];
  const rows = reasons.map((reason) => {
    const { code: httpCode, status, retryAfterSeconds, description } = REASONS[reason];
    const retry = retryAfterSeconds === undefined ? '' : `${retryAfterSeconds} s`;
    const remedy = [description, FIXES[reason], BY[reason] ?? 'caller'];
    return [code(reason), String(httpCode), status, retry, ...remedy];
  });
  return table(header, rows);
}

export function reportTable(): string {
  const rows = Object.entries(report).map(([name, meaning]) => [code(name), meaning]);
  return table(['field', 'meaning'], rows);
}

export function settingTable(): string {
  return table(
    ['variable', 'default', 'values', 'in a deployment', 'meaning'],
    Object.values<Setting>(SETTINGS).map(
      ({ name, description, default: value, range, allowed, must }) => [
        code(name),
        value === undefined ? 'required' : code(value) || 'none',
        range
          ? `${range[0]} to ${range[1]}`
          : (allowed?.map(code).join(', ') ?? must?.replace(/^be /, '') ?? 'text'),
        deployedBy(name),
        description,
      ],
    ),
  );
}

function deployedBy(name: string): string {
  if (LOCAL_SETTINGS.includes(name)) return 'local only';
  const by = DEPLOYED_BY[name];
  if (by === undefined) return code('settings');
  return by.default === undefined ? code(by.variable) : `${code(by.variable)}: ${code(by.default)}`;
}
