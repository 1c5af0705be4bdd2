// Runs queries on the local BigQuery for the local service itself.
import type { BoundQuery } from '../../../functions/core/query-runner.ts';
import { queryConfiguration } from '../../../functions/google/query-configuration.ts';
import { LOCAL } from '../../cli/project.ts';

/** The cells of the rows, of columns that are not nested. Throws an Error with BigQuery's message. */
export type RunLocally = (query: BoundQuery) => Promise<(string | null)[][]>;

const QUERY_MS = 5000;
const JSON_HEADERS = { 'Content-Type': 'application/json' };

export function createRunLocally(url: string): RunLocally {
  return async (query) => {
    const job = { ...queryConfiguration(query, LOCAL.dataset), jobTimeoutMs: QUERY_MS };
    const sent = { method: 'POST', headers: JSON_HEADERS, body: JSON.stringify(job) };
    const response = await fetch(`${url}/projects/${LOCAL.project}/queries`, sent);
    const { rows = [], error } = (await response.json()) as {
      rows?: { f: { v: string | null }[] }[];
      error?: { message: string };
    };
    if (error !== undefined) throw new Error(error.message);
    return rows.map(({ f }) => f.map(({ v }) => v));
  };
}
