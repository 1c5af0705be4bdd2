// Explains what an error means and what to do, in the words of the form.
import { formatSpan } from './format-span.ts';
import type { Endpoint, Parameters, RequestError } from './service.ts';

export interface Explanation {
  title: string;
  text: string;
  /** For users to give to those who can read the log. */
  errorId?: string | undefined;
  /** True if nothing is wrong: the user wanted it. */
  isCalm?: boolean;
}

/** Explains why a run failed. */
export function explainError(
  error: RequestError,
  endpoint: Endpoint,
  parameters: Parameters,
  isOnline: boolean,
): Explanation {
  const narrower = `${howToNarrow(endpoint, parameters)} Then run again.`;
  const later =
    error.retryAfterSeconds === undefined
      ? 'in a moment'
      : `in ${formatSpan(error.retryAfterSeconds)}`;
  const again = `Run again ${later}.`;
  switch (error.reason) {
    case 'BYTES_BILLED_LIMIT':
      return { title: 'The query would read more data than is allowed', text: narrower };
    case 'RESULT_BYTES_LIMIT':
      return { title: 'The result is larger than is allowed', text: narrower };
    case 'QUERY_DEADLINE_EXCEEDED':
      return { title: 'The query took too long and was cancelled', text: narrower };
    case 'RATE_LIMITED':
      return { title: 'The request limit is reached', text: again };
    case 'BYTES_PER_DAY':
      return {
        title: 'The key has used up its bytes of the day',
        text: `Rows in the cache are still shown. ${again}`,
      };
    case 'JOBS_RUNNING':
      return { title: 'Too many earlier queries are still running', text: again };
    case 'ENDPOINT_NOT_FOUND':
      return {
        title: 'You have no access to this endpoint',
        text: 'Choose one from the list.',
      };
    case 'PARAMETER_NOT_ALLOWED':
      return { title: 'These values are not allowed', text: error.message };
    case 'NOT_RUN_LOCALLY':
      return { title: 'This query does not run on this machine', text: error.message };
    case 'INTERNAL':
      return {
        title: 'Something failed in the service',
        text: `${error.message} If it fails again, pass on this error id:`,
        errorId: error.errorId,
      };
    default:
  }
  if (error.code === 0) return explainNoAnswer(isOnline, 'Then run again.');
  if (error.code === 429) return { title: 'Too many queries are running', text: again };
  if (error.code === 503 || error.code === 504)
    return {
      title: 'Not available at the moment',
      text: `${error.message} ${again}`,
    };
  return { title: 'The service refused this', text: error.message, errorId: error.errorId };
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
  if (error.code === 429) {
    const wait = `Wait ${formatSpan(error.retryAfterSeconds ?? 1)} and open again.`;
    return error.reason === 'RATE_LIMITED'
      ? `The request limit is reached. ${wait}`
      : `Too many invalid keys or tokens were sent from here. ${wait}`;
  }
  const id = error.errorId === undefined ? '' : ` Error id: ${error.errorId}`;
  return `The service could not check it. Open again in a moment.${id}`;
}

/** `project “acme” and interval “1day”`, for a sentence; empty where nothing is filled in. */
export function namedValues(endpoint: Endpoint, parameters: Parameters): string {
  const given = endpoint.parameters.flatMap(({ name }) => {
    const values = (parameters[name] ?? []).filter((value) => value !== '');
    return values.length === 0 ? [] : [`${name} “${values.join(', ')}”`];
  });
  return listed(given, 'and');
}

function explainNoAnswer(isOnline: boolean, then: string): Explanation {
  return isOnline
    ? {
        title: 'The service does not answer',
        text: `Check that it is running and reachable. ${then}`,
      }
    : { title: 'You are offline', text: `Connect to the network. ${then}` };
}

/** Based on the fields: choices are spans and sizes, and an empty optional field is a filter that is not set. */
function howToNarrow({ parameters }: Endpoint, values: Parameters): string {
  const given = ({ name }: { name: string }): boolean => (values[name] ?? []).length > 0;
  const choices = parameters.filter((one) => one.enum !== undefined).map(({ name }) => name);
  const filters = parameters
    .filter((one) => !one.required && one.default === undefined && !given(one))
    .map(({ name }) => name);
  const ways = [
    ...(choices.length === 0 ? [] : [`choose a smaller ${listed(choices, 'or')}`]),
    ...(filters.length === 0 ? [] : [`fill in ${listed(filters, 'or')}`]),
  ];
  if (ways.length === 0) ways.push('ask for less');
  const text = ways.join(', or ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** `a, b and c`. */
export function listed(words: readonly string[], last: 'and' | 'or'): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;
}
