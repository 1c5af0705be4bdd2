// What the page does: it opens a key, follows links, and runs endpoints.
import { type View, linkTo, parseLink } from './call/link.ts';
import { draftOf, mayRun, startValues, valuesToSend } from './form/form-values.ts';
import { forget, remember, rememberRun, remembered } from './remembered.ts';
import { describeAnswer } from './result/describe-freshness.ts';
import {
  type Endpoint,
  type Parameters,
  RequestError,
  fetchCatalogue,
  fetchRows,
  pathOf,
} from './service.ts';
import { START, get, isLocal, set } from './state.ts';

/** A browser does not give out a date of which only a part is entered. */
const INCOMPLETE = 'must be complete or empty';
const REFRESH_MS = 60_000;

let askedMs = 0;

/** Asks for a key; everything that was shown to another one goes. */
function ask(message: string, typed = ''): void {
  get().running?.controller.abort();
  set({ ...START, signIn: { message, typed, isBusy: false } });
}

/** Asks again; `refused` is what was sent. Only a refused key is wrong: any other can be tried again, after a reload too. */
function askAgain(failure: RequestError, refused = ''): void {
  if (failure.code === 401) forget();
  ask(`${failure.message} ${failure.advice}`, refused);
}

/** Another key must not start with the values of this one. */
export function leaveKey(): void {
  forget();
  history.replaceState(null, '', location.pathname);
  ask('');
}

export async function openKey(key = remembered().key): Promise<void> {
  const { signIn } = get();
  if (key === '') {
    ask(signIn === undefined ? '' : 'Enter an API key or a token.');
    return;
  }
  if (signIn !== undefined) set({ signIn: { ...signIn, isBusy: true } });
  try {
    const { key: own, endpoints } = await fetchCatalogue(key);
    // Another key, or another token, gets none of the values of the one before.
    if (key !== remembered().key) forget();
    remember({ key });
    followLink({ ...START, session: { key, keyName: own.name, endpoints } });
  } catch (error) {
    askAgain(failureOf(error), key);
  }
}

/**
 * Shows the endpoint in the address, and runs it if its values are known to be wanted. A stranger may have made a link: what
 * runs by itself costs nothing, as on a laptop, or is allowed to the key or of an earlier run.
 */
export function followLink({ session, running, zone, isKeptFresh } = get()): void {
  if (session === undefined) return;
  running?.controller.abort();
  window.scrollTo(0, 0);
  const { name, parameters: linked, view } = parseLink(location.hash);
  const endpoint = session.endpoints.find((one) => name === '' || one.name === name);
  const fresh = { ...START, session, zone, isKeptFresh };
  if (endpoint === undefined) {
    set(fresh);
    return;
  }
  const { values, runs } = remembered();
  const earlier = new URLSearchParams(values);
  const given = linked ?? startValues(endpoint, earlier);
  const draft = draftOf(endpoint, given);
  set({ ...fresh, endpoint, view, draft });
  document.getElementById('run')?.focus({ preventScroll: true });
  const parameters = valuesToSend(endpoint, draft);
  const countOf = (all: Parameters, of: string): number => all.getAll(of).filter(Boolean).length;
  // Names that it does not have, or of which it takes one value alone.
  const misfits = [...new Set(given.keys())].filter(
    (each) => countOf(parameters, each) < countOf(given, each),
  );
  const isWanted =
    document.documentElement.dataset.examples === 'run' ||
    (linked !== undefined && runs.includes(pathOf(endpoint, parameters))) ||
    mayRun(endpoint, given, earlier);
  if (isWanted && misfits.length === 0) {
    const link = { name: endpoint.name, parameters, view };
    if (linked === undefined) history.replaceState(null, '', linkTo(link));
    void run(endpoint, parameters);
  } else if (linked !== undefined) {
    // A stranger's words are cut.
    const left = misfits.slice(0, 3).map((one) => one.slice(0, 40));
    const fault = left.length === 0 ? '' : `Left out are values of ${left.join(' and ')}. `;
    const title = fault === '' ? 'Filled in from a link' : 'Not all of this link fits';
    set({ problem: { title, text: `${fault}Check the values, then run.`, isCalm: true } });
  }
}

/** Of the form. What is wrong with a value is said until it is changed. */
export function setValues(values: Readonly<Record<string, readonly string[]>>): void {
  const { draft, faults } = get();
  const changed = Object.entries(values).flatMap(([name, all]) => all.map((one) => [name, one]));
  const kept = [...draft].filter(([name]) => !Object.hasOwn(values, name));
  const left = faults.filter(({ field }) => !Object.hasOwn(values, field));
  set({ draft: new URLSearchParams([...kept, ...changed]), faults: left });
}

/** Runs the endpoint with the values of the form. */
export function submit(form: HTMLFormElement): void {
  const { endpoint, draft, view } = get();
  if (endpoint === undefined) return;
  const incomplete = [...form.querySelectorAll('input')].filter((one) => one.validity.badInput);
  if (showFaults(incomplete.map(({ name }) => ({ field: name, description: INCOMPLETE })))) return;
  const parameters = valuesToSend(endpoint, draft);
  const hash = linkTo({ name: endpoint.name, parameters, view });
  if (hash !== location.hash) history.pushState(null, '', hash);
  setView({ tab: 'result' });
  void run(endpoint, parameters);
}

/** Parameters in the address stay as they are. */
export function setView(changes: Partial<View>): void {
  const { endpoint } = get();
  const view = { ...get().view, ...changes };
  set({ view });
  const link = parseLink(location.hash);
  if (link.name === endpoint?.name) history.replaceState(null, '', linkTo({ ...link, view }));
}

/** Its rows are dropped. */
export function cancel(): void {
  get().running?.controller.abort();
}

/** Only while the page is visible, and as soon as it is again. */
export function keepFresh(): void {
  const { isKeptFresh, shown, running } = get();
  if (!isKeptFresh || document.hidden || shown === undefined || running !== undefined) return;
  if (Date.now() - askedMs >= REFRESH_MS) void run(shown.endpoint, shown.parameters);
}

async function run(endpoint: Endpoint, parameters: Parameters): Promise<void> {
  const { session, running, shown } = get();
  if (session === undefined) return;
  running?.controller.abort();
  const controller = new AbortController();
  const path = pathOf(endpoint, parameters);
  const isShown = shown?.endpoint === endpoint && pathOf(endpoint, shown.parameters) === path;
  const known = isShown ? shown.answer : undefined;
  // The user may start another one in the meantime.
  const isCurrent = (): boolean => get().running?.controller === controller;
  askedMs = Date.now();
  const startedMs = performance.now();
  set({ running: { controller, startedMs, goesOn: false }, problem: undefined });
  try {
    const answer = await untilAnswered(controller, () =>
      fetchRows(path, session.key, { signal: controller.signal, known }),
    );
    rememberRun(endpoint, parameters);
    if (!isCurrent()) return;
    const isNew = answer.rows !== known?.rows;
    const status = isNew || !get().isKeptFresh ? describeAnswer(answer, isLocal()) : '';
    // New rows have no chosen moment.
    const chosen = isNew ? undefined : get().chosen;
    set({ shown: { endpoint, parameters, answer }, running: undefined, chosen, status });
  } catch (error) {
    if (isCurrent()) fail(failureOf(error), isShown);
  }
}

/** Asks again as long as the query goes on. */
async function untilAnswered<T>(controller: AbortController, call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      controller.signal.throwIfAborted();
      if (!(error instanceof RequestError) || error.reason !== 'QUERY_RUNNING') throw error;
      const startedMs = performance.now() - error.runningSeconds * 1000;
      set({ running: { controller, startedMs, goesOn: true } });
      await pause(error.retryAfterSeconds ?? 5, controller.signal);
    }
  }
}

/** If a refresh fails, the rows before it stay visible. */
function fail(failure: RequestError, isRefresh: boolean): void {
  const { running } = get();
  set({ running: undefined, status: '' });
  if (running?.controller.signal.aborted) {
    const [title, text] = running.goesOn
      ? ['Stopped waiting', 'The query goes on. Run again to get its rows.']
      : ['Cancelled', 'Run again to get the rows.'];
    set({ problem: { title, text, isCalm: true } });
  } else if (failure.code === 401) askAgain(failure);
  else {
    const isPassing = failure.code === 0 || failure.code === 429 || failure.code >= 500;
    if (!isPassing || !isRefresh) set({ shown: undefined });
    const { message: title, advice: text, violations } = failure;
    if (!showFaults(violations)) set({ problem: { title, text, isCalm: false } });
  }
}

/** Shows each violation next to its field and focuses the first; returns whether there are some, and all have a field. */
function showFaults(violations: RequestError['violations']): boolean {
  const names = get().endpoint?.parameters.map(({ name }) => name) ?? [];
  const faults = violations.filter(({ field }) => names.includes(field));
  set({ faults });
  const first = '#fields [aria-invalid]:is(input, select, textarea), #fields [aria-invalid] input';
  if (faults.length > 0) document.querySelector<HTMLElement>(first)?.focus();
  return faults.length > 0 && faults.length === violations.length;
}

/** An answer that breaks off is none. */
function failureOf(error: unknown): RequestError {
  if (error instanceof RequestError) return error;
  // It may be a fault of this page, too: an abort is none.
  if (!(error instanceof DOMException)) reportError(error);
  return new RequestError();
}

/** Rejects with a DOMException, as a fetch does. */
function pause(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    setTimeout(resolve, seconds * 1000);
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });
}
