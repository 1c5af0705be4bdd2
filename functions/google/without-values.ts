// Hides messages of BigQuery that may quote a value of a parameter or of a row: the log must not contain any.
import { errorCode } from '../core/describe-error.ts';
import { ServiceError } from '../core/errors.ts';
import { QueryDataError, isTextOf } from '../core/query-runner.ts';
import { detailsOf } from './classify-error.ts';

/** The reasons whose messages are about tables, rights, limits and BigQuery itself. */
const OF_NO_VALUE =
  /^(?:notFound|accessDenied|stopped|timeout|responseTooLarge|\w+(?:Exceeded|Error))$/;
/** At the end: GoogleSQL states the place of what it refuses before it reads any value. */
const PLACE = / at \[\d+:\d+\]$/;

/** The same error, or one that says where its message is; `sql` may have it as the text of an ERROR. */
export function withoutValues(error: unknown, sql: string, jobId = 'of the query'): unknown {
  if (!(error instanceof Error)) return error;
  const cause = withoutValues(error.cause, sql, jobId);
  const [said] = detailsOf(error instanceof QueryDataError ? error.cause : error);
  const isTold = said === undefined || OF_NO_VALUE.test(said.reason);
  const isHidden = !isTold && !PLACE.test(error.message) && !isTextOf(sql, error.message);
  if (!isHidden && cause === error.cause) return error;
  const hidden = `BigQuery's reason is ${said?.reason}. Its message may quote a value: its history of jobs has it, under the job ${jobId}.`;
  const message = isHidden ? hidden : error.message;
  if (error instanceof ServiceError) return new ServiceError(error.reason, message, { cause });
  return error instanceof QueryDataError
    ? new QueryDataError(message, { cause, isOfValues: error.isOfValues })
    : Object.assign(new Error(message, { cause }), { code: errorCode(error) });
}
