// Hides messages of BigQuery that may quote the value of a parameter.
import { errorCode } from '../core/describe-error.ts';
import { ServiceError } from '../core/errors.ts';
import { textsOf } from '../core/parameter-type.ts';
import { QueryDataError, type QueryRequest, isTextOf } from '../core/query-runner.ts';

type Bound = Pick<QueryRequest, 'sql' | 'parameters' | 'keys'>;

/** BigQuery quotes at least so many characters of a value. */
const QUOTED_LENGTH_MIN = 8;

/** The same error, or one without such messages: the log must not contain parameters of tenants. */
export function withoutValues(error: unknown, bound: Bound, jobId = 'of the query'): unknown {
  if (!(error instanceof Error)) return error;
  const isHidden = !(error instanceof ServiceError) && isQuoting(error.message, bound);
  const hidden = `The message may quote a value. BigQuery's history of jobs has it, under the job ${jobId}.`;
  const message = isHidden ? hidden : error.message;
  const cause = withoutValues(error.cause, bound, jobId);
  if (!isHidden && cause === error.cause) return error;
  if (error instanceof ServiceError) return new ServiceError(error.reason, message, { cause });
  return error instanceof QueryDataError
    ? new QueryDataError(message, { cause, isOfValues: error.isOfValues })
    : Object.assign(new Error(message, { cause }), { code: errorCode(error) });
}

function isQuoting(message: string, { sql, parameters, keys = [] }: Bound): boolean {
  if (isTextOf(sql, message)) return false;
  // GoogleSQL writes characters beyond ASCII as they are, or in octal.
  if (/[^ -~\n]|\\[0-7]{3}/.test(message)) return true;
  const text = bare(message);
  return [parameters, ...keys]
    .flatMap((named) => Object.values(named).flatMap(textsOf))
    .filter((value) => value.length > 2)
    .some((value) => text.includes(bare(value).slice(0, QUOTED_LENGTH_MIN)));
}

/** Without what the escapes and separators of a quoted value change. */
function bare(text: string): string {
  return text.toLowerCase().replaceAll(/\\[nrt]|[^a-z0-9]/g, '');
}
