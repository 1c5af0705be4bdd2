// Reads and writes links to the console: endpoint, parameters and view, never the key.
import type { Parameters } from '../service.ts';

/** With their labels. */
export const TABS = { result: 'Result', columns: 'Columns', code: 'Code' };

/** The part of an endpoint that the page shows; a link can contain it. */
export interface View {
  tab: keyof typeof TABS;
  /** Names of columns. */
  hiddenColumns: readonly string[];
  /** Names of series of the chart; without a known one, the chart chooses. */
  drawnSeries: readonly string[];
}

export interface Link {
  /** Of the endpoint; empty without a link. */
  name: string;
  /** Undefined if only the endpoint is named. */
  parameters: Parameters | undefined;
  view: View;
}

export const TAB_NAMES = Object.keys(TABS) as View['tab'][];
export const START_VIEW: View = { tab: 'result', hiddenColumns: [], drawnSeries: [] };
/** No parameter has a name that begins with a dot. */
const [TAB, HIDDEN, DRAWN] = ['.tab', '.hide', '.series'] as const;

/** In the fragment of the address (`#`), which no server and no log sees. */
export function linkTo({ name, parameters, view }: Link): string {
  if (parameters === undefined) return `#${name}`;
  const query = new URLSearchParams(parameters);
  if (view.tab !== START_VIEW.tab) query.append(TAB, view.tab);
  for (const column of view.hiddenColumns) query.append(HIDDEN, column);
  for (const series of view.drawnSeries) query.append(DRAWN, series);
  return `#${name}?${query.toString()}`;
}

/** Reads any text. */
export function parseLink(hash: string): Link {
  const [, name = '', query] = /^#?([^?]*)(?:\?(.*))?$/s.exec(hash) ?? [];
  const values = new URLSearchParams(query);
  // Links of an earlier version have more of the view.
  const parameters = new URLSearchParams([...values].filter(([key]) => !key.startsWith('.')));
  const tab = TAB_NAMES.find((one) => one === values.get(TAB)) ?? START_VIEW.tab;
  const view = { tab, hiddenColumns: values.getAll(HIDDEN), drawnSeries: values.getAll(DRAWN) };
  return { name, parameters: query === undefined ? undefined : parameters, view };
}
