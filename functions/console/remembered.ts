// What the tab remembers until it is closed: the key or the token, the values and the calls of its latest runs.
import type { Parameters } from './service.ts';

const [KEY, VALUES, RUNS] = ['key', 'values', 'runs'].map((name) => `saved-queries-${name}`) as [
  ...[string, string, string],
];
const RUNS_MAX = 50;

export const remembered = {
  key: () => sessionStorage.getItem(KEY) ?? '',
  /** Another key, or another token, gets none of the values of the one before. */
  rememberKey(key: string): void {
    if (sessionStorage.getItem(KEY) !== key) remembered.forget();
    sessionStorage.setItem(KEY, key);
  },
  forget(): void {
    for (const item of [KEY, VALUES, RUNS]) sessionStorage.removeItem(item);
  },
  /** By the name of the parameter, of any endpoint. */
  values: () => JSON.parse(sessionStorage.getItem(VALUES) ?? '{}') as Parameters,
  /** Calls by their paths with query strings. */
  runs: () => JSON.parse(sessionStorage.getItem(RUNS) ?? '[]') as string[],
  /** An empty list for a parameter that was left out. */
  rememberRun(path: string, values: Parameters): void {
    sessionStorage.setItem(VALUES, JSON.stringify({ ...remembered.values(), ...values }));
    const others = remembered.runs().filter((run) => run !== path);
    sessionStorage.setItem(RUNS, JSON.stringify([path, ...others].slice(0, RUNS_MAX)));
  },
};
