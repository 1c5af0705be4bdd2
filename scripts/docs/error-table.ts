// The table of errors: functions/core/errors.ts, with who can remove the cause, and how.
import { REASONS, type Reason } from '../../functions/core/errors.ts';
import { docstringsOf } from './docstrings.ts';
import { code, table } from './markdown.ts';

interface Remedy {
  /** Who can remove the cause: `endpoint` is the author of its query, and `retry` is a fault that passes. */
  by: 'caller' | 'endpoint' | 'operator' | 'retry';
  fix: string;
}

const REMEDIES: Readonly<Record<Reason, Remedy>> = {
  INVALID_PARAMETERS: {
    by: 'caller',
    fix: 'Correct the parameters that `fieldViolations` names.',
  },
  MALFORMED_QUERY_STRING: {
    by: 'caller',
    fix: 'Encode the values as UTF-8, and send fewer.',
  },
  BYTES_BILLED_LIMIT: {
    by: 'endpoint',
    fix: 'Narrow the request. If that is not possible, filter the partition column in the query, or raise the limit.',
  },
  RESULT_BYTES_LIMIT: {
    by: 'endpoint',
    fix: 'Narrow the request. If that is not possible, select fewer columns or rows in the query, or raise the limit.',
  },
  API_KEY_INVALID: {
    by: 'caller',
    fix: 'Send a valid key as `X-API-KEY` or `Authorization: Bearer`. A new key can take 10 seconds to work.',
  },
  PARAMETER_NOT_ALLOWED: {
    by: 'caller',
    fix: 'Use one of the `allowedValues` in the catalogue, or ask for another key.',
  },
  ORIGIN_NOT_ALLOWED: {
    by: 'operator',
    fix: 'Name the origin in `CORS_ORIGINS`.',
  },
  ENDPOINT_NOT_FOUND: {
    by: 'caller',
    fix: 'Look it up in the catalogue, `GET /api/endpoints`, with the same key.',
  },
  PATH_NOT_FOUND: {
    by: 'caller',
    fix: 'Use `/api/endpoints/query/<id or name>`. For `/` and `/mcp`, turn on `CONSOLE` and `MCP`.',
  },
  METHOD_NOT_ALLOWED: {
    by: 'caller',
    fix: 'Use a method of the header `Allow`.',
  },
  NOT_ACCEPTABLE: {
    by: 'caller',
    fix: 'Accept `application/json`, `text/csv` or `application/x-ndjson`, or leave out the header.',
  },
  BODY_TOO_LARGE: {
    by: 'caller',
    fix: 'Send shorter arguments.',
  },
  KEY_LOOKUPS_EXHAUSTED: {
    by: 'caller',
    fix: 'Stop sending unknown keys, then repeat the request.',
  },
  RATE_LIMITED: {
    by: 'caller',
    fix: 'Repeat the request after `Retry-After`.',
  },
  QUERY_QUOTA_EXHAUSTED: {
    by: 'operator',
    fix: 'Repeat the request later. If it persists, check the quotas of the project, or use a reservation.',
  },
  INTERNAL: {
    by: 'operator',
    fix: 'Find the `errorId` of the answer in the log.',
  },
  NOT_RUN_LOCALLY: {
    by: 'endpoint',
    fix: 'Run it with `npm start -- --bigquery PROJECT`, or change what the message names.',
  },
  INSTANCE_BUSY: {
    by: 'retry',
    fix: 'Read the answers, send fewer large requests at once, and repeat.',
  },
  INSTANCE_STOPPING: {
    by: 'retry',
    fix: 'Repeat the request. Another instance answers it.',
  },
  QUERY_ENGINE_UNAVAILABLE: {
    by: 'retry',
    fix: 'Repeat the request later.',
  },
  KEY_STORE_UNAVAILABLE: {
    by: 'retry',
    fix: 'Repeat the request later. If it persists, look in the log.',
  },
  RESULT_STORE_UNAVAILABLE: {
    by: 'retry',
    fix: 'The scheduler tries again.',
  },
  QUERY_DEADLINE_EXCEEDED: {
    by: 'endpoint',
    fix: 'Narrow the request. A repeated request runs the query again. If it persists, make the query faster.',
  },
};

export function errorTable(): string {
  const reasons = Object.keys(REASONS) as Reason[];
  const meanings = docstringsOf('functions/core/errors.ts', reasons);
  return table(
    ['reason', 'code', 'status', '`Retry-After`', 'when', 'what to do', 'who'],
    reasons.map((reason) => {
      const described: { code: number; status: string; retryAfterSeconds?: number } =
        REASONS[reason];
      const { by, fix } = REMEDIES[reason];
      const retry =
        described.retryAfterSeconds === undefined ? '' : `${described.retryAfterSeconds} s`;
      return [
        code(reason),
        String(described.code),
        described.status,
        retry,
        meanings[reason],
        fix,
        by,
      ];
    }),
  );
}
