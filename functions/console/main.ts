// The console's main program: connects key, endpoint list, form and result.
import { byId } from './dom.ts';
import { explainRefusal, listed } from './explain-error.ts';
import { showHead } from './endpoint-head.ts';
import { createEndpointList } from './finding/endpoint-list.ts';
import { createPalette } from './finding/palette.ts';
import {
  findIncomplete,
  findMissing,
  focusField,
  lineOf,
  openSheet,
  readFields,
  showFields,
  showRanges,
  showViolations,
} from './form/form.ts';
import { mayRunLink, startValues } from './form/start-values.ts';
import { createCopyLink } from './call/copy-link.ts';
import { inspectLink } from './call/inspect-link.ts';
import { START_VIEW, linkTo, parseLink } from './call/link.ts';
import { createRemembered } from './remembered.ts';
import { createResult } from './result/show-result.ts';
import { createRuns } from './run-endpoint.ts';
import { createCode } from './call/show-code.ts';
import { createProblem } from './show-problem.ts';
import { createSignIn } from './sign-in.ts';
import { type Endpoint, pathOf } from './service.ts';
import { createStore, timeZoneOf } from './store.ts';
import { createColumns } from './tabs/show-columns.ts';
import { createJson } from './tabs/show-json.ts';
import { createTabs } from './tabs/tabs.ts';
import { initTheme } from './theme.ts';

/** Whether the examples may be run unasked: on a laptop they cost nothing. */
const RUNS_EXAMPLES = document.documentElement.dataset.examples === 'run';

/** What is not cleared by the code that writes it, when no endpoint is open. */
const WRITTEN = [
  ...['name', 'description', 'facts', 'cost', 'fields', 'sheet-text', 'link-note', 'link-address'],
  ...['empty-text', 'snippets', 'status', 'found'],
];

const store = createStore();
const remembered = createRemembered(sessionStorage);
const repaint = createResult(store);
const showCode = createCode(store, {
  chosen: () => remembered.language(),
  onChoice: (language) => remembered.rememberLanguage(language),
});
createTabs(store);
createColumns(store);
createJson(store);
createEndpointList(store);
createPalette(store);
createProblem(store);
createCopyLink(store);
const runs = createRuns({
  store,
  showViolations,
  onRun(endpoint, parameters) {
    remembered.rememberValues(
      Object.fromEntries(endpoint.parameters.map(({ name }) => [name, parameters[name] ?? []])),
    );
    remembered.rememberRun(pathOf(endpoint, parameters));
  },
  onRefusedKey(error) {
    remembered.forget();
    signIn.ask(explainRefusal(error));
  },
});
const signIn = createSignIn(store, {
  forget: () => remembered.forget(),
  onOpen: (key) => remembered.rememberKey(key),
});

initTheme(byId('theme'), byId('theme-name'), repaint);
byId('skip').addEventListener('click', () =>
  byId(store.get().current === undefined ? 'key' : 'main').focus(),
);
window.addEventListener('hashchange', followLink);
byId('form').addEventListener('submit', (event) => {
  event.preventDefault();
  submit();
});
byId('form').addEventListener('input', () => {
  const { current, shown } = store.get();
  byId('stale').hidden =
    current === undefined ||
    current !== shown?.endpoint ||
    pathOf(current, readFields(current)) === pathOf(current, shown.parameters);
  showLine();
  showRanges();
});
store.listen(['shown'], () => void (byId('stale').hidden = true));
store.listen(['zone'], showRanges);
byId('sheet').addEventListener('click', () =>
  openSheet(byId('sheet').getAttribute('aria-expanded') !== 'true'),
);
byId('form').addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || byId('sheet').getAttribute('aria-expanded') !== 'true') return;
  event.preventDefault();
  openSheet(false);
  byId('sheet').focus();
});
byId('cancel').addEventListener('click', () => runs.cancel());
document.addEventListener('keydown', (event) => {
  const { goesOn } = store.get().running ?? {};
  if (event.key !== 'Escape' || event.defaultPrevented || !isIdle(event.target)) return;
  if (goesOn) runs.cancel();
});
store.listen(['session'], ({ session }) => {
  if (session === undefined) clearPage();
  else followLink();
  const isFieldFocused = byId('fields').contains(document.activeElement);
  if (store.get().current !== undefined && !isFieldFocused) byId('run').focus();
});
// Parameters in the address stay as they are.
store.listen(['view'], ({ current, view }) => {
  const link = parseLink(location.hash);
  if (current === undefined || typeof link !== 'object' || link.name !== current.name) return;
  history.replaceState(null, '', linkTo({ ...link, view }));
});
const key = remembered.key();
if (key === undefined) signIn.ask();
else void signIn.open(key);

/** What was written for one key must not stay for the next, not even where nobody sees it. */
function clearPage(): void {
  for (const id of WRITTEN) byId(id).replaceChildren();
  document.title = 'Saved queries';
}

/** Shows the endpoint in the address, and runs it if its values are known to be wanted. */
function followLink(): void {
  const { session } = store.get();
  if (session === undefined) return;
  const link = parseLink(location.hash);
  const { endpoints } = session;
  const name = typeof link === 'object' ? link.name : undefined;
  const endpoint = link === undefined ? endpoints[0] : endpoints.find((each) => each.name === name);
  const inspected =
    endpoint !== undefined && typeof link === 'object' ? inspectLink(link, endpoint) : undefined;
  store.get().running?.controller.abort();
  store.set({
    ...{ current: endpoint, running: undefined, shown: undefined, problem: undefined },
    ...{
      sorting: undefined,
      filter: undefined,
      chosenRows: [],
      view: inspected?.view ?? START_VIEW,
    },
  });
  showHead(endpoint, link);
  window.scrollTo(0, 0);
  if (endpoint === undefined) return;
  const linked = typeof link === 'object' && link.parameters !== undefined ? inspected : undefined;
  const start = startValues(endpoint, remembered.values());
  showFields(endpoint, linked?.parameters ?? start.values, () => timeZoneOf(store.get()));
  openSheet(false);
  showLine();
  showCode();
  if (linked !== undefined) openLinked(endpoint, linked);
  else if (RUNS_EXAMPLES || start.isWanted) {
    const parameters = readFields(endpoint);
    history.replaceState(null, '', linkTo({ name: endpoint.name, parameters }));
    void runs.run(endpoint, parameters);
  }
}

/** A stranger may have made the link: it runs by itself only what costs nothing or is known to be wanted. */
function openLinked(
  endpoint: Endpoint,
  { parameters, violations, faults }: ReturnType<typeof inspectLink>,
): void {
  const missing = findMissing(endpoint);
  const isSound = violations.length === 0 && faults.length === 0;
  const isWanted =
    RUNS_EXAMPLES ||
    remembered.hasRun(pathOf(endpoint, parameters)) ||
    mayRunLink(endpoint, parameters, remembered.values());
  if (isSound && isWanted && missing.length === 0) {
    void runs.run(endpoint, parameters);
    return;
  }
  byId('run').focus();
  focusField(missing[0]);
  showViolations(endpoint, violations);
  const next = missing.length === 0 ? 'Check the values' : `Fill in ${listed(missing, 'and')}`;
  const text = [...faults, `${next}, then run.`].join(' ');
  const title = isSound ? 'Filled in from a link' : 'Not all of this link fits';
  store.set({ problem: { title, text, isCalm: true } });
}

/** Whether Escape has no other meaning where it is pressed. */
function isIdle(target: EventTarget | null): boolean {
  const ids = ['run', 'cancel', 'main'];
  return target === document.body || (target instanceof Element && ids.includes(target.id));
}

function showLine(): void {
  const { current } = store.get();
  if (current !== undefined) byId('sheet-text').textContent = lineOf(current);
}

function submit(): void {
  const { current } = store.get();
  if (current === undefined) return;
  const incomplete = findIncomplete(current);
  showViolations(current, incomplete);
  if (incomplete.length > 0) return;
  const parameters = readFields(current);
  const hash = linkTo({ name: current.name, parameters, view: store.get().view });
  if (hash !== location.hash) history.pushState(null, '', hash);
  openSheet(false);
  // Only the tabs `result` and `json` show the rows.
  const { view } = store.get();
  if (view.tab !== 'json') store.set({ view: { ...view, tab: 'result' } });
  void runs.run(current, parameters);
}
