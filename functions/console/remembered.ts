// What the tab remembers until it is closed: the key or the token, the values and the calls of its latest runs.
import { type Endpoint, type Parameters, pathOf } from './service.ts';

const ITEM = 'saved-queries';
const RUNS_MAX = 50;
const NOTHING = {
  key: '',
  /** A query string with values of any endpoint. */
  values: '',
  /** Calls by their paths with query strings. */
  runs: [] as readonly string[],
};

export function remember(changes: Partial<typeof NOTHING>): void {
  sessionStorage.setItem(ITEM, JSON.stringify({ ...remembered(), ...changes }));
}

export function remembered() {
  return { ...NOTHING, ...(JSON.parse(sessionStorage.getItem(ITEM) ?? '{}') as object) };
}

/** Also what an earlier version of this page has left. */
export function forget(): void {
  sessionStorage.clear();
}

/** A parameter that was left out has no value any more. */
export function rememberRun(endpoint: Endpoint, parameters: Parameters): void {
  const { values, runs } = remembered();
  const path = pathOf(endpoint, parameters);
  const others = [...new URLSearchParams(values)].filter(
    ([name]) => !endpoint.parameters.some((one) => one.name === name),
  );
  remember({
    values: new URLSearchParams([...others, ...parameters]).toString(),
    runs: [path, ...runs.filter((run) => run !== path)].slice(0, RUNS_MAX),
  });
}
