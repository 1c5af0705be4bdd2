// The console's main program: connects key, endpoint list, form and result.
import { byId } from './dom.ts';
import { showHead } from './endpoint-head.ts';
import { createEndpointList } from './finding/endpoint-list.ts';
import { createPalette } from './finding/palette.ts';
import {
  findIncomplete,
  lineOf,
  openSheet,
  readFields,
  showFields,
  showViolations,
} from './form/form.ts';
import { startValues } from './form/start-values.ts';
import { linkTo, parseLink } from './call/link.ts';
import { createRemembered } from './remembered.ts';
import { createResult } from './result/show-result.ts';
import { createRuns } from './run-endpoint.ts';
import { createCode } from './call/show-code.ts';
import { createProblem } from './show-problem.ts';
import { createSignIn } from './sign-in.ts';
import { createStore } from './store.ts';
import { createColumns } from './tabs/show-columns.ts';
import { createJson } from './tabs/show-json.ts';
import { createTabs } from './tabs/tabs.ts';
import { initTheme } from './theme.ts';

/** Whether the examples may be run unasked: on a laptop they cost nothing. */
const RUNS_EXAMPLES = document.documentElement.dataset.examples === 'run';

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
const runs = createRuns({
  store,
  showViolations,
  onRun: (endpoint, parameters) =>
    remembered.rememberValues(
      Object.fromEntries(endpoint.parameters.map(({ name }) => [name, parameters[name] ?? []])),
    ),
  onRefusedKey() {
    remembered.forget();
    signIn.ask('This key was refused: it may have expired. Enter another one.');
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
byId('form').addEventListener('input', showLine);
byId('sheet').addEventListener('click', () =>
  openSheet(byId('sheet').getAttribute('aria-expanded') !== 'true'),
);
byId('form').addEventListener('keydown', ({ key: pressed }) => {
  if (pressed !== 'Escape' || byId('sheet').getAttribute('aria-expanded') !== 'true') return;
  openSheet(false);
  byId('sheet').focus();
});
byId('cancel').addEventListener('click', () => runs.cancel());
store.listen(['session'], ({ session }) => {
  if (session === undefined) return;
  followLink();
  if (store.get().current !== undefined) byId('run').focus();
});
const key = remembered.key();
if (key === undefined) signIn.ask();
else void signIn.open(key);

/** Shows the endpoint in the address, and runs it if its values are known to be wanted. */
function followLink(): void {
  const { session } = store.get();
  if (session === undefined) return;
  const link = parseLink(location.hash);
  const { endpoints } = session;
  const endpoint =
    link === undefined ? endpoints[0] : endpoints.find(({ name }) => name === link.name);
  store.get().running?.controller.abort();
  store.set({
    ...{ current: endpoint, running: undefined, shown: undefined, problem: undefined },
    ...{ sorting: undefined, chosenRows: [] },
    view: { ...store.get().view, hiddenColumns: [], columnOrder: [] },
  });
  showHead(endpoint, link);
  window.scrollTo(0, 0);
  if (endpoint === undefined) return;
  const start = startValues(endpoint, remembered.values());
  showFields(endpoint, link?.parameters ?? start.values);
  openSheet(false);
  showLine();
  showCode();
  if (link?.parameters !== undefined) void runs.run(endpoint, link.parameters);
  else if (RUNS_EXAMPLES || start.isWanted) {
    const parameters = readFields(endpoint);
    history.replaceState(null, '', linkTo({ name: endpoint.name, parameters }));
    void runs.run(endpoint, parameters);
  }
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
  const hash = linkTo({ name: current.name, parameters });
  if (hash !== location.hash) history.pushState(null, '', hash);
  openSheet(false);
  // Where rows are not shown, nobody would see them come.
  const { view } = store.get();
  if (view.tab !== 'json') store.set({ view: { ...view, tab: 'result' } });
  void runs.run(current, parameters);
}
