// Runs endpoints: by the form, by a link, and again while rows are kept fresh.
import { isLocal } from './dom.ts';
import { explainError } from './explain-error.ts';
import {
  type Answer,
  type Endpoint,
  type Parameters,
  RequestError,
  fetchRows,
  pathOf,
} from './service.ts';
import type { Store } from './store.ts';

const REFRESH_MS = 60_000;

interface Runs {
  run: (endpoint: Endpoint, parameters: Parameters) => Promise<void>;
  /** Cancels the run that is under way; its rows are dropped. */
  cancel: () => void;
}

interface RunDeps {
  store: Store;
  /** Shows the violations that have a field, and returns the others. */
  showViolations: (
    endpoint: Endpoint,
    violations: RequestError['violations'],
  ) => RequestError['violations'];
  onRun: (endpoint: Endpoint, parameters: Parameters) => void;
  onRefusedKey: (error: RequestError) => void;
}

interface Asking {
  key: string;
  controller: AbortController;
  known: Answer | undefined;
}

/** `onRun` is called after each run that gave rows. */
export function createRuns({ store, showViolations, onRun, onRefusedKey }: RunDeps): Runs {
  let askedMs = 0;
  setInterval(refresh, 1000);
  document.addEventListener('visibilitychange', refresh);
  return { run, cancel: () => store.get().running?.controller.abort() };

  async function run(endpoint: Endpoint, parameters: Parameters): Promise<void> {
    const { session, running, shown } = store.get();
    if (session === undefined) return;
    running?.controller.abort();
    const controller = new AbortController();
    const known = isOf(shown, endpoint, parameters) ? shown?.answer : undefined;
    const isCurrent = (): boolean => store.get().running?.controller === controller;
    askedMs = Date.now();
    showViolations(endpoint, []);
    const startedMs = performance.now();
    store.set({ running: { controller, startedMs, goesOn: false }, problem: undefined });
    try {
      const answer = await rowsOf(endpoint, parameters, { key: session.key, controller, known });
      onRun(endpoint, parameters);
      // The user may have started another one in the meantime.
      if (isCurrent())
        store.set({
          shown: { endpoint, parameters, answer },
          running: undefined,
          ...rowsAs(known),
        });
    } catch (error) {
      if (isCurrent()) fail(endpoint, parameters, error);
    }
  }

  /** Asks again as long as the service answers that the query goes on. */
  async function rowsOf(
    endpoint: Endpoint,
    parameters: Parameters,
    { key, controller, known }: Asking,
  ): Promise<Answer> {
    const { signal } = controller;
    for (;;) {
      try {
        return await fetchRows(endpoint, parameters, key, { signal, known });
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof RequestError) || error.reason !== 'QUERY_RUNNING') throw error;
        const startedMs = performance.now() - error.runningSeconds * 1000;
        store.set({ running: { controller, startedMs, goesOn: true } });
        await pause(error.retryAfterSeconds ?? 5, signal);
      }
    }
  }

  /** New rows have no chosen moment. */
  function rowsAs(known: Answer | undefined): { chosenRows?: readonly number[] } {
    return known === undefined ? { chosenRows: [] } : {};
  }

  function fail(endpoint: Endpoint, parameters: Parameters, error: unknown): void {
    const { shown, running } = store.get();
    store.set({ running: undefined });
    if (error instanceof DOMException && error.name === 'AbortError') {
      const [title, text] = running?.goesOn
        ? [
            'Stopped waiting',
            `The query goes on${isLocal() ? '' : ' in BigQuery'}. Run again to get its rows.`,
          ]
        : ['Cancelled', 'Run again to get the rows.'];
      store.set({ problem: { title, text, isCalm: true } });
      return;
    }
    const failure = error instanceof RequestError ? error : new RequestError(String(error));
    if (failure.code === 401) {
      onRefusedKey(failure);
      return;
    }
    const isPassing = failure.code === 0 || failure.code === 429 || failure.code >= 500;
    // If a refresh fails, the rows before it stay visible.
    if (!isPassing || !isOf(shown, endpoint, parameters)) store.set({ shown: undefined });
    const others = showViolations(endpoint, failure.violations);
    if (failure.violations.length > 0 && others.length === 0) return;
    store.set({ problem: explainError(failure, endpoint, parameters, navigator.onLine) });
  }

  /** Only while the page is visible, and as soon as it is again. */
  function refresh(): void {
    const { isKeptFresh, shown, running } = store.get();
    if (!isKeptFresh || document.hidden || shown === undefined || running !== undefined) return;
    if (Date.now() - askedMs >= REFRESH_MS) void run(shown.endpoint, shown.parameters);
  }
}

function pause(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, seconds * 1000);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      // By default a DOMException, as of a fetch.
      reject(signal.reason as Error);
    });
  });
}

function isOf(
  shown: { endpoint: Endpoint; parameters: Parameters } | undefined,
  endpoint: Endpoint,
  parameters: Parameters,
): boolean {
  return (
    shown?.endpoint === endpoint &&
    pathOf(endpoint, shown.parameters) === pathOf(endpoint, parameters)
  );
}
