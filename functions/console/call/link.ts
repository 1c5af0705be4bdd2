// Reads and writes links to the console: endpoint, parameters and view, never the key.
import { type Endpoint, type Parameters, isList, queryOf } from '../service.ts';

/** The part of an endpoint that the page shows; a link can contain it. */
export interface View {
  tab: 'result' | 'columns' | 'code';
  /** Names of columns. */
  hiddenColumns: readonly string[];
  /** Names of series of the chart; without a known one, the chart chooses. */
  drawnSeries: readonly string[];
}

export interface Link {
  name: string;
  /** Undefined if only the endpoint is named. */
  parameters: Parameters | undefined;
  view: View;
}

export const START_VIEW: View = { tab: 'result', hiddenColumns: [], drawnSeries: [] };

/** No link of this page is longer: the service refuses requests of 16 KiB. */
const LINK_CHARACTERS_MAX = 16_384;
const NAME_CHARACTERS_MAX = 40;
const FAULTS_MAX = 3;

const TABS: readonly View['tab'][] = ['result', 'columns', 'code'];
/** No parameter has a name that begins with a dot. */
const [TAB, HIDDEN, DRAWN] = ['.tab', '.hide', '.series'] as const;

/** In the fragment of the address (`#`), which no server and no log sees. */
export function linkTo({
  name,
  parameters,
  view = START_VIEW,
}: Omit<Link, 'view'> & Partial<Link>): string {
  if (parameters === undefined) return `#${name}`;
  const { tab, hiddenColumns, drawnSeries } = view;
  const query = queryOf({
    ...parameters,
    [TAB]: tab === START_VIEW.tab ? [] : [tab],
    [HIDDEN]: hiddenColumns,
    [DRAWN]: drawnSeries,
  });
  return `#${name}?${query}`;
}

/** Undefined without a link. Reads any text. */
export function parseLink(hash: string): Link | 'too long' | undefined {
  if (hash.length > LINK_CHARACTERS_MAX) return 'too long';
  const [, name = '', query] = /^#?([^?]*)(?:\?(.*))?$/s.exec(hash) ?? [];
  if (query === undefined)
    return name === '' ? undefined : { name, parameters: query, view: START_VIEW };
  const values = new URLSearchParams(query);
  // Links of an earlier version have more of the view.
  const names = [...new Set(values.keys())].filter((one) => !one.startsWith('.'));
  return {
    name,
    parameters: Object.fromEntries(names.map((one) => [one, values.getAll(one)])),
    view: {
      tab: TABS.find((one) => one === values.get(TAB)) ?? START_VIEW.tab,
      hiddenColumns: values.getAll(HIDDEN),
      drawnSeries: values.getAll(DRAWN),
    },
  };
}

/** What of the parameters does not fit the endpoint, a sentence each. */
export function faultsOf(given: Parameters, { parameters }: Pick<Endpoint, 'parameters'>) {
  const faults = Object.entries(given).flatMap(([name, { length }]) => {
    const declared = parameters.find((one) => one.name === name);
    if (declared === undefined) return [`There is no parameter “${shorten(name)}”.`];
    if (isList(declared) || length === 1) return [];
    return [`“${name}” comes ${length} times: this is the first value.`];
  });
  return faults.slice(0, FAULTS_MAX);
}

/** Text of a link can be of any length. */
export function shorten(text: string): string {
  const characters = [...text];
  if (characters.length <= NAME_CHARACTERS_MAX) return text;
  return `${characters.slice(0, NAME_CHARACTERS_MAX).join('')}…`;
}
