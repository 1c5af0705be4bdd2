// Explains what an error means and what to do, in the words of the form.
import { formatSpan } from './format.ts';
import type { Endpoint, Parameters, RequestError } from './service.ts';

export interface Explanation {
  title: string;
  text: string;
  /** For users to give to those who can read the log. */
  errorId?: string | undefined;
  /** True if nothing is wrong: the user wanted it. */
  isCalm?: boolean;
}

/** By the reason of the error. The service says what to do, in its message. */
const TITLES: Record<string, string> = {
  BYTES_BILLED_LIMIT: 'The query would read more data than is allowed',
  RESULT_BYTES_LIMIT: 'The result is larger than is allowed',
  QUERY_DEADLINE_EXCEEDED: 'The query took too long and was cancelled',
  RATE_LIMITED: 'The request limit is reached',
  BYTES_PER_DAY: 'The key has used up its bytes of the day',
  JOBS_RUNNING: 'Too many earlier queries are still running',
  ENDPOINT_NOT_FOUND: 'You have no access to this endpoint',
  PARAMETER_NOT_ALLOWED: 'These values are not allowed',
  NOT_RUN_LOCALLY: 'This query does not run on this machine',
  INTERNAL: 'Something failed in the service',
};

/** Explains why a run failed. */
export function explainError(error: RequestError, isOnline: boolean): Explanation {
  const { code, reason, message, errorId } = error;
  if (code === 0) return explainNoAnswer(isOnline, 'Then run again.');
  const title =
    TITLES[reason] ??
    (code === 429
      ? 'Too many queries are running'
      : code === 503
        ? 'Not available at the moment'
        : 'The service refused this');
  const again = code === 429 || code === 503 ? ` Run again ${waitOf(error)}.` : '';
  const id = errorId === undefined ? '' : ' If it fails again, pass on this error id:';
  return { title, text: message + again + id, errorId };
}

/** Explains why a key or a token that has opened the list of endpoints is refused. */
export function explainRefusal({ reason, message }: RequestError): string {
  const why = reason === 'TOKEN_INVALID' ? message : 'This key was refused: it may have expired.';
  return `${why} Enter another one.`;
}

/** Explains why a key or a token did not open the list of endpoints. */
export function explainKeyError(error: RequestError, isOnline: boolean): string {
  if (error.reason === 'TOKEN_INVALID') return `${error.message} Ask for a new one.`;
  if (error.code === 401)
    return 'This service knows no such key. Check that it is complete, or ask for a new one.';
  if (error.code === 0) {
    const { title, text } = explainNoAnswer(isOnline, 'Then open again.');
    return `${title}. ${text}`;
  }
  const id = error.errorId === undefined ? '' : ` Error id: ${error.errorId}`;
  return `${error.message} Open again ${waitOf(error)}.${id}`;
}

/** `project “acme” and interval “1day”`, for a sentence; empty where nothing is filled in. */
export function namedValues(endpoint: Endpoint, parameters: Parameters): string {
  const given = endpoint.parameters.flatMap(({ name }) => {
    const values = (parameters[name] ?? []).filter((value) => value !== '');
    return values.length === 0 ? [] : [`${name} “${values.join(', ')}”`];
  });
  return listed(given);
}

function waitOf({ retryAfterSeconds }: RequestError): string {
  return retryAfterSeconds === undefined ? 'in a moment' : `in ${formatSpan(retryAfterSeconds)}`;
}

function explainNoAnswer(isOnline: boolean, then: string): Explanation {
  const [title, text] = isOnline
    ? ['The service does not answer', 'Check that it is running and reachable.']
    : ['You are offline', 'Connect to the network.'];
  return { title, text: `${text} ${then}` };
}

/** `a, b and c`. */
export function listed(words: readonly string[]): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
