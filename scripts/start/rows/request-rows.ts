// The rows of the table of request lines: what the local `query` logs, as the view of a deployment shows it.
import defaults from '../../../infra/defaults.json' with { type: 'json' };
import { isObject, parseJson } from '../../../functions/core/json.ts';
import type { Source } from '../../sources/read-sources.ts';

/** The most rows that are kept, the newest: a query can read all of them at once. */
export const REQUEST_ROWS_MAX = 20_000;

/** Whether the source is a view of the table that the log sink of a deployment writes. */
export function isRequestTable({ definition }: Pick<Source, 'definition'>): boolean {
  return definition.table === `${defaults.requests_dataset}.${defaults.requests.table}`;
}

/** The rows of lines that were logged until now; other lines have none. */
export function requestRows({ fields, definition }: Source, logged: string, nowMs: number) {
  const timestamp = new Date(nowMs).toISOString();
  return logged.split('\n').flatMap((line): object[] => {
    const written = line.includes('"event":"request"') ? parseJson(line) : undefined;
    if (!isObject(written)) return [];
    // Cloud Logging writes all names in lower case.
    const payload = Object.entries(written).map(
      ([name, value]) => [`jsonpayload.${name.toLowerCase()}`, value] as const,
    );
    const entry = new Map<string, unknown>([...payload, ['timestamp', timestamp]]);
    const values = fields.map(({ name }) => {
      const place = definition.columns?.[name] ?? name;
      return [name, entry.get(place.toLowerCase())] as const;
    });
    return [Object.fromEntries(values)];
  });
}
