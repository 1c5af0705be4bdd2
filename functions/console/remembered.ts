// What the tab remembers until it is closed: the key or the token, the values of its latest runs, and the language of code.
import type { Parameters } from './service.ts';

const KEY_ITEM = 'saved-queries-key';
const VALUES_ITEM = 'saved-queries-values';
const LANGUAGE_ITEM = 'saved-queries-language';
const RUNS_ITEM = 'saved-queries-runs';
const RUNS_MAX = 50;

interface Remembered {
  key: () => string | undefined;
  /** Another key, or another token, gets none of the values of the one before. */
  rememberKey: (key: string) => void;
  forget: () => void;
  /** By the name of the parameter, of any endpoint. */
  values: () => Parameters;
  /** An empty list for a parameter that was left out. */
  rememberValues: (values: Parameters) => void;
  /** The id of the language in which calls are shown. */
  language: () => string | undefined;
  rememberLanguage: (id: string) => void;
  /** A call by its path with query string. */
  rememberRun: (path: string) => void;
  hasRun: (path: string) => boolean;
}

export function createRemembered(storage: Storage): Remembered {
  return {
    key: () => storage.getItem(KEY_ITEM) ?? undefined,
    rememberKey(key) {
      if (storage.getItem(KEY_ITEM) !== key) forgetRuns();
      storage.setItem(KEY_ITEM, key);
    },
    forget() {
      storage.removeItem(KEY_ITEM);
      forgetRuns();
    },
    values: readValues,
    rememberValues: (values) =>
      storage.setItem(VALUES_ITEM, JSON.stringify({ ...readValues(), ...values })),
    language: () => storage.getItem(LANGUAGE_ITEM) ?? undefined,
    rememberLanguage: (id) => storage.setItem(LANGUAGE_ITEM, id),
    rememberRun(path) {
      const others = readRuns().filter((run) => run !== path);
      storage.setItem(RUNS_ITEM, JSON.stringify([path, ...others].slice(0, RUNS_MAX)));
    },
    hasRun: (path) => readRuns().includes(path),
  };

  function forgetRuns(): void {
    storage.removeItem(VALUES_ITEM);
    storage.removeItem(RUNS_ITEM);
  }

  function readRuns(): string[] {
    return JSON.parse(storage.getItem(RUNS_ITEM) ?? '[]') as string[];
  }

  function readValues(): Parameters {
    return JSON.parse(storage.getItem(VALUES_ITEM) ?? '{}') as Parameters;
  }
}
