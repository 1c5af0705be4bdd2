// Writes a call of the service as a curl command.
import { shellQuote } from '../shell-quote.ts';
import { type Endpoint, type Parameters, pathOf } from '../service.ts';

/** A command to paste: with the key itself, or with the shell variable API_KEY. */
export function curlOf(
  endpoint: Endpoint,
  parameters: Parameters,
  origin: string,
  key: string | undefined,
): string {
  const header = key === undefined ? '"X-API-KEY: $API_KEY"' : shellQuote(`X-API-KEY: ${key}`);
  return `curl --compressed -H ${header} \\\n  ${shellQuote(origin + pathOf(endpoint, parameters))}`;
}
