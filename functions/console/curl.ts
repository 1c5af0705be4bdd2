// Writes a call of the service as a curl command.
import { type Endpoint, type Parameters, pathOf } from './service.ts';

/** A command to paste: with the key itself, or with the shell variable API_KEY. */
export function curlOf(
  endpoint: Endpoint,
  parameters: Parameters,
  origin: string,
  key: string | undefined,
): string {
  const header = key === undefined ? '"X-API-KEY: $API_KEY"' : quote(`X-API-KEY: ${key}`);
  return `curl --compressed -H ${header} \\\n  ${quote(origin + pathOf(endpoint, parameters))}`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
