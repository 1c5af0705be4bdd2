// The console's main program: connects key, endpoint list, form and result.
import { type Chart, canChart, renderChart } from './chart.ts';
import { curlOf } from './curl.ts';
import { byId, h } from './dom.ts';
import { findIncomplete, readFields, showFields, showViolations } from './form.ts';
import { describeFreshness, originOf } from './describe-freshness.ts';
import { type Link, linkTo, parseLink } from './link.ts';
import {
  type Answer,
  type Endpoint,
  type Parameters,
  RequestError,
  fetchCsv,
  fetchEndpoints,
  fetchRows,
  pathOf,
} from './service.ts';
import { startValues } from './start-values.ts';
import { type Sorting, renderTable } from './table.ts';
import { initTheme } from './theme.ts';
import { type Zone, formatSpan } from './time.ts';

interface Shown {
  endpoint: Endpoint;
  parameters: Parameters;
  answer: Answer;
}

const KEY_ITEM = 'saved-queries-key';
const COPY_LABELS = new Map([
  ['copy', 'Copy'],
  ['copy-short', 'Copy as curl'],
]);
const AUTO_REFRESH_MS = 60_000;
/** After this time the page explains why the query takes longer. */
const SLOW_SECONDS = 2;

let key = '';
let endpoints: Endpoint[] = [];
let current: Endpoint | undefined;
let shown: Shown | undefined;
let running: AbortController | undefined;
let chart: Chart | undefined;
let sorting: Sorting | undefined;
let zone: Zone = 'local';
/** Hidden columns, by endpoint. */
const hiddenSeries = new Map<string, Set<string>>();
/** The values of the latest runs, so that the next endpoint starts with the same project. */
const lastValues: Record<string, readonly string[]> = {};

listen();
const remembered = sessionStorage.getItem(KEY_ITEM);
if (remembered === null) showSignIn();
else void open(remembered);

function listen(): void {
  initTheme(byId('theme'), byId('theme-name'), redraw);
  byId('skip').addEventListener('click', () =>
    (current === undefined ? byId('key') : byId('main')).focus(),
  );
  byId('key-form').addEventListener('submit', (event) => {
    event.preventDefault();
    void open(byId<HTMLInputElement>('key').value.trim());
  });
  byId('show-key').addEventListener('click', () => {
    const input = byId<HTMLInputElement>('key');
    const isShown = input.type === 'text';
    input.type = isShown ? 'password' : 'text';
    byId('show-key').setAttribute('aria-pressed', String(!isShown));
  });
  byId('change-key').addEventListener('click', () => showSignIn());
  byId('search').addEventListener('input', listEndpoints);
  window.addEventListener('hashchange', followLink);
  byId('form').addEventListener('submit', (event) => {
    event.preventDefault();
    submit();
  });
  byId('form').addEventListener('input', showCurl);
  byId('cancel').addEventListener('click', () => running?.abort());
  byId('with-key').addEventListener('change', showCurl);
  for (const id of COPY_LABELS.keys()) {
    byId(id).addEventListener('click', () => void copyCurl(byId(id)));
  }
  byId('download').addEventListener('click', () => void download());
  for (const radio of document.querySelectorAll<HTMLInputElement>('input[name=zone]')) {
    radio.addEventListener('change', () => {
      zone = radio.value === 'utc' ? 'utc' : 'local';
      redraw();
    });
  }
  setInterval(tellFreshness, 1000);
  setInterval(() => {
    if (!byId<HTMLInputElement>('auto').checked || document.hidden) return;
    if (shown !== undefined && running === undefined) void run(shown.endpoint, shown.parameters);
  }, AUTO_REFRESH_MS);
}

function showSignIn(message?: string): void {
  running?.abort();
  sessionStorage.removeItem(KEY_ITEM);
  key = '';
  current = undefined;
  shown = undefined;
  byId('workspace').hidden = true;
  chart?.destroy();
  chart = undefined;
  byId('table-card').replaceChildren();
  byId('key-state').hidden = true;
  byId('sign-in').hidden = false;
  tellKeyError(message);
  const input = byId<HTMLInputElement>('key');
  input.focus();
  input.select();
}

function tellKeyError(message: string | undefined): void {
  const error = byId('key-error');
  error.textContent = message ?? '';
  error.hidden = message === undefined;
  const input = byId('key');
  if (message === undefined) input.removeAttribute('aria-invalid');
  else input.setAttribute('aria-invalid', 'true');
}

async function open(candidate: string): Promise<void> {
  if (candidate === '') {
    showSignIn('Enter an API key.');
    return;
  }
  const button = byId<HTMLButtonElement>('open');
  button.disabled = true;
  try {
    endpoints = await fetchEndpoints(candidate);
  } catch (error) {
    showSignIn(error instanceof RequestError ? error.message : String(error));
    // If the service could not be reached, the key can be tried again.
    if (error instanceof RequestError && error.code !== 401)
      byId<HTMLInputElement>('key').value = candidate;
    return;
  } finally {
    button.disabled = false;
  }
  key = candidate;
  sessionStorage.setItem(KEY_ITEM, key);
  byId<HTMLInputElement>('key').value = '';
  const wasAsked = !byId('sign-in').hidden;
  byId('sign-in').hidden = true;
  byId('workspace').hidden = false;
  byId('key-state').hidden = false;
  byId('key-end').textContent = `…${key.slice(-4)}`;
  listEndpoints();
  followLink();
  if (wasAsked) byId('search').focus();
}

function listEndpoints(): void {
  const words = byId<HTMLInputElement>('search').value.toLowerCase().split(/\s+/);
  const found = endpoints.filter((endpoint) => {
    const text = [
      endpoint.name,
      endpoint.description,
      ...[...endpoint.parameters, ...endpoint.row].map(({ name }) => name),
    ]
      .join(' ')
      .toLowerCase();
    return words.every((word) => text.includes(word));
  });
  byId('endpoints').replaceChildren(
    ...found.map(({ name, description }) =>
      h(
        'li',
        {},
        h(
          'a',
          { href: linkTo({ name, parameters: undefined }), 'data-name': name },
          h('span', { class: 'endpoint-name' }, name),
          h('span', { class: 'muted small clamp' }, description),
        ),
      ),
    ),
  );
  markCurrent();
  byId('no-match').hidden = found.length > 0;
  byId('no-match').textContent =
    endpoints.length === 0 ? 'This key may use no endpoint.' : 'No endpoint matches.';
}

/** Updated in place, so that the link that was followed keeps the focus. */
function markCurrent(): void {
  for (const link of byId('endpoints').querySelectorAll('a')) {
    if (link.dataset.name === current?.name) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
}

/** Shows the endpoint in the address, and runs it if there are parameters. */
function followLink(): void {
  if (key === '') return;
  const link = parseLink(location.hash);
  const endpoint =
    link === undefined ? endpoints[0] : endpoints.find(({ name }) => name === link.name);
  running?.abort();
  running = undefined;
  current = endpoint;
  shown = undefined;
  sorting = undefined;
  markCurrent();
  byId('endpoint').hidden = endpoint === undefined;
  byId('nothing').hidden = endpoint !== undefined;
  if (endpoint === undefined) {
    byId('nothing').replaceChildren(...nothingToShow(link));
    document.title = 'Saved queries';
    return;
  }
  document.title = `${endpoint.name} · Saved queries`;
  byId('name').textContent = endpoint.name;
  byId('description').textContent = endpoint.description;
  byId('facts').replaceChildren(...factsOf(endpoint));
  showFields(endpoint, link?.parameters ?? startValues(endpoint, lastValues));
  showCurl();
  showProblem(undefined);
  showRunning(undefined);
  byId('result').hidden = true;
  if (link?.parameters !== undefined) void run(endpoint, link.parameters);
}

function nothingToShow(link: Link | undefined): HTMLElement[] {
  return [
    h('h1', { class: 'empty-title' }, link === undefined ? 'No endpoints' : 'No such endpoint'),
    h(
      'p',
      { class: 'muted' },
      link === undefined
        ? 'This API key may use no endpoint.'
        : `There is no endpoint ${link.name} for this API key.`,
    ),
  ];
}

function factsOf(endpoint: Endpoint): HTMLElement[] {
  const facts: [string, string][] = [
    [
      'Refreshed',
      endpoint.cacheWarmingSeconds === 0
        ? 'only after it has expired'
        : `every ${formatSpan(endpoint.cacheWarmingSeconds)}`,
    ],
    ['Never older than', formatSpan(endpoint.cachingSeconds)],
    ['At most', `${endpoint.maxRows.toLocaleString('en')} rows`],
    ['Id', endpoint.id],
  ];
  return facts.map(([term, text]) => h('div', {}, h('dt', {}, term), h('dd', {}, text)));
}

function submit(): void {
  if (current === undefined) return;
  const incomplete = findIncomplete(current);
  showViolations(current, incomplete);
  if (incomplete.length > 0) return;
  const parameters = readFields(current);
  const hash = linkTo({ name: current.name, parameters });
  if (hash !== location.hash) history.pushState(null, '', hash);
  void run(current, parameters);
}

async function run(endpoint: Endpoint, parameters: Parameters): Promise<void> {
  running?.abort();
  const controller = new AbortController();
  running = controller;
  showProblem(undefined);
  showViolations(endpoint, []);
  showRunning(performance.now());
  try {
    const answer = await fetchRows(endpoint, parameters, key, controller.signal);
    for (const { name } of endpoint.parameters) lastValues[name] = parameters[name] ?? [];
    if (running !== controller) return;
    shown = { endpoint, parameters, answer };
    redraw();
    byId('progress-text').textContent = '';
  } catch (error) {
    // The user has started another request in the meantime.
    if (running !== controller) return;
    tellFailure(endpoint, parameters, error);
  } finally {
    if (running === controller) {
      running = undefined;
      showRunning(undefined);
    }
  }
}

function tellFailure(endpoint: Endpoint, parameters: Parameters, error: unknown): void {
  if (error instanceof DOMException && error.name === 'AbortError') {
    showProblem('Cancelled', 'The query was not waited for.', 'calm');
    return;
  }
  const failure = error instanceof RequestError ? error : new RequestError(String(error));
  if (failure.code === 401) {
    showSignIn(failure.message);
    return;
  }
  const isPassing = failure.code === 0 || failure.code === 429 || failure.code >= 500;
  const isRefresh =
    shown?.endpoint === endpoint &&
    pathOf(endpoint, shown.parameters) === pathOf(endpoint, parameters);
  // If a refresh fails, the rows before it stay visible.
  if (!isPassing || !isRefresh) {
    byId('result').hidden = true;
    shown = undefined;
  }
  const others = showViolations(endpoint, failure.violations);
  if (failure.violations.length > 0 && others.length === 0) return;
  const title = failure.code === 0 ? 'No answer' : `${failure.code} ${failure.reason}`;
  const id = failure.errorId === undefined ? '' : ` (error id ${failure.errorId})`;
  showProblem(title, `${failure.message}${id}`);
}

function showProblem(title: undefined): void;
function showProblem(title: string, text: string, tone?: 'calm'): void;
function showProblem(title: string | undefined, text = '', tone?: 'calm'): void {
  const problem = byId('problem');
  problem.hidden = title === undefined;
  problem.classList.toggle('calm', tone === 'calm');
  problem.replaceChildren(
    ...(title === undefined ? [] : [h('strong', {}, title), h('p', {}, text)]),
  );
}

let elapsed: ReturnType<typeof setInterval> | undefined;

function showRunning(startedMs: number | undefined): void {
  const isRunning = startedMs !== undefined;
  clearInterval(elapsed);
  byId('progress').hidden = !isRunning;
  byId('cancel').hidden = !isRunning;
  byId('result').classList.toggle('stale', isRunning);
  byId('progress-text').textContent = '';
  if (!isRunning) return;
  elapsed = setInterval(() => {
    const seconds = Math.floor((performance.now() - startedMs) / 1000);
    if (seconds < SLOW_SECONDS) return;
    byId('progress-text').textContent =
      `Running for ${formatSpan(seconds)}. Rows that are not in the cache take a few seconds.`;
  }, 500);
}

/** Draws everything that depends on the rows, the time zone or the colours. */
function redraw(): void {
  if (shown === undefined) return;
  const { endpoint, answer } = shown;
  const isEmpty = answer.rows.length === 0;
  byId('result').hidden = false;
  byId('empty').hidden = !isEmpty;
  byId('chart-card').hidden = isEmpty || !canChart(endpoint);
  byId('table-card').hidden = isEmpty;
  byId('truncated').hidden = !answer.isTruncated;
  byId('truncated').textContent =
    `The query had more rows: these are the first ${answer.rows.length.toLocaleString('en')}.`;
  tellFreshness();
  drawChart(shown);
  drawTable(shown);
}

function drawChart({ endpoint, answer }: Shown): void {
  chart?.destroy();
  const host = byId('chart');
  if (byId('chart-card').hidden) return;
  const hidden = hiddenSeries.get(endpoint.name) ?? new Set<string>();
  hiddenSeries.set(endpoint.name, hidden);
  chart = renderChart(host, {
    endpoint,
    rows: answer.rows,
    zone,
    hidden,
    onHover: (text) => (byId('readout').textContent = text),
  });
  // For tests and developer tools.
  Object.assign(host, { plots: chart.plots });
}

function drawTable(what: Shown, focusColumn?: string): void {
  const { endpoint, answer } = what;
  const card = byId('table-card');
  const { scrollTop = 0, scrollLeft = 0 } = card.firstElementChild ?? {};
  const table = renderTable(endpoint, answer.rows, zone, sorting, (next) => {
    sorting = next;
    drawTable(what, next.column);
  });
  card.replaceChildren(table);
  table.scrollTo(scrollLeft, scrollTop);
  const index = endpoint.row.findIndex(({ name }) => name === focusColumn);
  if (index !== -1) table.querySelectorAll<HTMLElement>('th button')[index]?.focus();
}

function tellFreshness(): void {
  if (shown === undefined) return;
  const { endpoint, answer } = shown;
  const origin = originOf(answer.cacheStatus);
  const parts = describeFreshness(endpoint, answer, Date.now());
  byId('freshness').replaceChildren(
    h('span', { class: `badge ${origin.kind}`, title: answer.cacheStatus }, origin.text),
    ...parts.map((part) => h('span', {}, part)),
  );
}

function showCurl(): void {
  if (current === undefined) return;
  const isWithKey = byId<HTMLInputElement>('with-key').checked;
  const text = curlOf(current, readFields(current), location.origin, isWithKey ? key : undefined);
  // Line breaks are allowed only between parts of the address.
  byId('curl').replaceChildren(
    ...text.split(/(?<=[?&])/).flatMap((part, index) => (index === 0 ? [part] : [h('wbr'), part])),
  );
  byId('curl-hint').textContent = isWithKey
    ? 'The key is in the command: mind where you paste it.'
    : 'Reads the key from the environment: export API_KEY=… first.';
}

async function copyCurl(button: HTMLElement): Promise<void> {
  const label = COPY_LABELS.get(button.id) ?? '';
  try {
    await navigator.clipboard.writeText(byId('curl').textContent ?? '');
    button.textContent = 'Copied';
    byId('copied').textContent = 'The command is copied.';
  } catch {
    // Without a secure context there is no clipboard: select the text instead.
    getSelection()?.selectAllChildren(byId('curl'));
    button.textContent = 'Marked, now copy';
  }
  setTimeout(() => {
    button.textContent = label;
    byId('copied').textContent = '';
  }, 2000);
}

async function download(): Promise<void> {
  if (shown === undefined) return;
  const { endpoint, parameters } = shown;
  try {
    const url = URL.createObjectURL(await fetchCsv(endpoint, parameters, key));
    h('a', { href: url, download: `${endpoint.name}.csv` }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  } catch (error) {
    tellFailure(endpoint, parameters, error);
  }
}
