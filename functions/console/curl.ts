// The command line that makes the same call.
import { type Endpoint, type Parameters, pathOf } from './service.ts';

/** Works when it is pasted: with the key itself, or in a shell that has it in API_KEY. */
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
