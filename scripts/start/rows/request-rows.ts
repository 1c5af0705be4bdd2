// The rows of the table of request lines, from the log of the local service.
import { isObject, parseJson } from '../../../functions/core/json.ts';
import defaults from '../../../infra/defaults.json' with { type: 'json' };
import type { Source } from '../../sources/read-sources.ts';

/** Whether the source is a view of the table that the log sink of a deployment writes. */
export function isRequestTable({ definition }: Pick<Source, 'definition'>): boolean {
  return definition.table === `${defaults.requests_dataset}.${defaults.requests.table}`;
}

/** What the local `query` has logged until now, as the view of a deployment shows it. */
export function requestRows({ fields, definition }: Source, logged: string, nowMs: number) {
  const timestamp = new Date(nowMs).toISOString();
  return logged.split('\n').flatMap((line): object[] => {
    const written = line.includes('"event":"request"') ? parseJson(line) : undefined;
    if (!isObject(written)) return [];
    const entry = new Map<string, unknown>([['timestamp', timestamp]]);
    // Cloud Logging writes all names in lower case.
    for (const name in written) entry.set(`jsonpayload.${name.toLowerCase()}`, written[name]);
    const places = fields.map(({ name }) => [name, definition.columns?.[name] ?? name] as const);
    return [Object.fromEntries(places.map(([name, at]) => [name, entry.get(at.toLowerCase())]))];
  });
}
