// Reads and writes links to the console: endpoint, parameters and view, never the key.
import { type Parameters, queryOf } from '../service.ts';

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

export interface ParsedLink extends Link {
  /** Names of parameters whose values cannot be read, and are left out. */
  damaged: readonly string[];
}

export const START_VIEW: View = { tab: 'result', hiddenColumns: [], drawnSeries: [] };

/** No link of this page is longer: the service refuses requests of 16 KiB. */
const LINK_CHARACTERS_MAX = 16_384;

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

/** Undefined without a link. Reads any text; what cannot be decoded is left out and named. */
export function parseLink(hash: string): ParsedLink | 'too long' | undefined {
  if (hash.length > LINK_CHARACTERS_MAX) return 'too long';
  const text = hash.replace(/^#/, '');
  if (text === '') return undefined;
  const question = text.indexOf('?');
  if (question === -1) return { name: text, parameters: undefined, view: START_VIEW, damaged: [] };
  const values = new Map<string, string[]>();
  const damaged = new Set<string>();
  for (const pair of text.slice(question + 1).split('&')) {
    const [, key = '', given = ''] = /^([^=]*)=?(.*)$/s.exec(pair) ?? [];
    const [name, value] = [decode(key), decode(given)];
    if (name === undefined || value === undefined) damaged.add(name ?? key);
    else if (pair !== '') values.set(name, [...(values.get(name) ?? []), value]);
  }
  const tab = TABS.find((one) => one === values.get(TAB)?.[0]) ?? START_VIEW.tab;
  const view = {
    tab,
    hiddenColumns: values.get(HIDDEN) ?? [],
    drawnSeries: values.get(DRAWN) ?? [],
  };
  // Links of an earlier version have more of the view.
  for (const name of values.keys())
    if (name.startsWith('.') || damaged.has(name)) values.delete(name);
  return {
    name: text.slice(0, question),
    parameters: Object.fromEntries(values),
    view,
    damaged: [...damaged],
  };
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
