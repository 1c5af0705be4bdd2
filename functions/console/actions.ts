// What the page does: it opens a key, follows links, and runs endpoints.
import { START_VIEW, type View, faultsOf, linkTo, parseLink } from './call/link.ts';
import { explainError, explainKeyError, explainRefusal, listed } from './explain-error.ts';
import { draftOf, findMissing, valuesToSend } from './form/form-values.ts';
import { mayRun, startValues } from './form/start-values.ts';
import { remembered } from './remembered.ts';
import { describeAnswer } from './result/describe-freshness.ts';
import {
  type Endpoint,
  type Parameters,
  RequestError,
  fetchCatalogue,
  fetchRows,
  pathOf,
} from './service.ts';
import { START, get, isLocal, set, timeZoneOf } from './state.ts';

/** A browser does not give out a date of which only a part is entered. */
const INCOMPLETE = 'must be complete or empty';
const REFRESH_MS = 60_000;

let askedMs = 0;

/** Asks for a key; everything that was shown to another one goes. */
function ask(message: string, typed = ''): void {
  get().running?.controller.abort();
  set({ ...START, signIn: { message, typed, isBusy: false } });
}

/** Another key must not start with the values of this one. */
export function leaveKey(): void {
  remembered.forget();
  history.replaceState(null, '', location.pathname);
  ask('');
}

export async function openKey(key = remembered.key()): Promise<void> {
  const { signIn } = get();
  if (key === '') {
    ask(signIn === undefined ? '' : 'Enter an API key or a token.');
    return;
  }
  if (signIn !== undefined) set({ signIn: { ...signIn, isBusy: true } });
  try {
    const { key: own, endpoints } = await fetchCatalogue(key);
    remembered.rememberKey(key);
    set({ ...START, session: { key, keyName: own.name, endpoints } });
    followLink();
    const isFieldFocused = document.activeElement?.closest('#fields') != null;
    if (get().endpoint !== undefined && !isFieldFocused) focusOn('#run');
  } catch (error) {
    const failure = error instanceof RequestError ? error : new RequestError(String(error));
    // Only a refused key is wrong: any other can be tried again, after a reload too.
    if (failure.code === 401) remembered.forget();
    ask(explainKeyError(failure, navigator.onLine), key);
  }
}

/** Shows the endpoint in the address, and runs it if its values are known to be wanted. */
export function followLink(): void {
  const { session, running, zone, isKeptFresh } = get();
  if (session === undefined) return;
  const link = parseLink(location.hash);
  const { endpoints } = session;
  const { name, parameters: linked, view } = typeof link === 'object' ? link : {};
  const endpoint = link === undefined ? endpoints[0] : endpoints.find((one) => one.name === name);
  running?.controller.abort();
  set({ ...START, session, link, endpoint, zone, isKeptFresh });
  window.scrollTo(0, 0);
  if (endpoint === undefined) return;
  const values = linked ?? startValues(endpoint, remembered.values());
  set({ draft: draftOf(endpoint, values, timeZoneOf(get())) });
  setView(view ?? START_VIEW);
  openValues(endpoint, values, linked !== undefined);
}

/** A stranger may have made a link: what runs by itself costs nothing, as on a laptop, or is known to be wanted. */
function openValues(endpoint: Endpoint, values: Parameters, isLinked: boolean): void {
  const { draft } = get();
  const parameters = valuesToSend(endpoint, draft);
  const missing = findMissing(endpoint, draft);
  const faults = isLinked ? faultsOf(values, endpoint) : [];
  const isWanted =
    document.documentElement.dataset.examples === 'run' ||
    (isLinked && remembered.runs().includes(pathOf(endpoint, parameters))) ||
    mayRun(endpoint, values, remembered.values());
  if (isWanted && faults.length === 0 && missing.length === 0) {
    if (!isLinked) history.replaceState(null, '', linkTo({ name: endpoint.name, parameters }));
    void run(endpoint, parameters);
  } else if (isLinked) {
    const next = missing.length === 0 ? 'Check the values' : `Fill in ${listed(missing)}`;
    const title = faults.length === 0 ? 'Filled in from a link' : 'Not all of this link fits';
    set({ problem: { title, text: [...faults, `${next}, then run.`].join(' '), isCalm: true } });
    focusOn(missing[0] === undefined ? '#run' : `#fields [name="${missing[0]}"]`);
  }
}

/** Of the form. What is wrong with a value is said until it is changed. */
export function setValues(values: Parameters): void {
  const { draft, faults } = get();
  const left = faults.filter(({ field }) => !Object.hasOwn(values, field));
  set({ draft: { ...draft, ...values }, faults: left });
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
  if (endpoint !== undefined && typeof link === 'object' && link.name === endpoint.name)
    history.replaceState(null, '', linkTo({ ...link, view }));
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
  const { signal } = controller;
  const path = pathOf(endpoint, parameters);
  const isShown = shown?.endpoint === endpoint && pathOf(endpoint, shown.parameters) === path;
  const known = isShown ? shown.answer : undefined;
  // The user may start another one in the meantime.
  const isCurrent = (): boolean => get().running?.controller === controller;
  askedMs = Date.now();
  const startedMs = performance.now();
  set({ running: { controller, startedMs, goesOn: false }, problem: undefined, faults: [] });
  try {
    const answer = await untilAnswered(controller, () =>
      fetchRows(endpoint, parameters, session.key, { signal, known }),
    );
    const values = endpoint.parameters.map(({ name }) => [name, parameters[name] ?? []]);
    remembered.rememberRun(path, Object.fromEntries(values) as Parameters);
    if (!isCurrent()) return;
    const isNew = answer.rows !== known?.rows;
    const status = isNew || !get().isKeptFresh ? describeAnswer(answer, isLocal()) : '';
    // New rows have no chosen moment.
    const chosen = isNew ? undefined : get().chosen;
    set({ shown: { endpoint, parameters, answer }, running: undefined, chosen, status });
  } catch (error) {
    if (isCurrent()) fail(error, isShown);
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
function fail(error: unknown, isRefresh: boolean): void {
  const { running } = get();
  set({ running: undefined, status: '' });
  if (running?.controller.signal.aborted) {
    const goesOn = `The query goes on${isLocal() ? '' : ' in BigQuery'}.`;
    const [title, text] = running.goesOn
      ? ['Stopped waiting', `${goesOn} Run again to get its rows.`]
      : ['Cancelled', 'Run again to get the rows.'];
    set({ problem: { title, text, isCalm: true } });
    return;
  }
  const failure = error instanceof RequestError ? error : new RequestError(String(error));
  if (failure.code === 401) {
    remembered.forget();
    ask(explainRefusal(failure));
    return;
  }
  const isPassing = failure.code === 0 || failure.code === 429 || failure.code >= 500;
  if (!isPassing || !isRefresh) set({ shown: undefined });
  if (!showFaults(failure.violations)) set({ problem: explainError(failure, navigator.onLine) });
}

/** Shows each violation next to its field and focuses the first; returns whether there are some, and all have a field. */
function showFaults(violations: RequestError['violations']): boolean {
  const names = get().endpoint?.parameters.map(({ name }) => name) ?? [];
  const faults = violations.filter(({ field }) => names.includes(field));
  set({ faults });
  if (faults.length > 0)
    focusOn('#fields [aria-invalid]:is(input, select, textarea), #fields [aria-invalid] input');
  return faults.length > 0 && faults.length === violations.length;
}

function focusOn(selector: string): void {
  document.querySelector<HTMLElement>(selector)?.focus();
}

/** Rejects with a DOMException, as a fetch does. */
function pause(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    setTimeout(resolve, seconds * 1000);
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });
}
