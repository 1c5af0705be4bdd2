// The state of the page, in one place. What can be derived from it is derived where it is shown.
import type { FieldViolation } from '../core/errors.ts';
import { START_VIEW, type View } from './call/link.ts';
import { localZone } from './form/wall-clock.ts';
import type { Filter } from './result/table/filter-rows.ts';
import type { Sorting } from './result/table/sort-rows.ts';
import type { Answer, Endpoint, Parameters } from './service.ts';

export interface Shown {
  endpoint: Endpoint;
  parameters: Parameters;
  answer: Answer;
}

export interface Running {
  controller: AbortController;
  /** When the run began, or its query, if that goes on and began before. */
  startedMs: number;
  /** True once the service has answered that the query goes on. */
  goesOn: boolean;
}

export interface State {
  /** Undefined until a key, or a token in its place, has opened the list of endpoints. */
  session: { key: string; keyName: string; endpoints: readonly Endpoint[] } | undefined;
  /** The form that asks for a key; undefined while one is tried that the tab remembers. */
  signIn: { message: string; typed: string; isBusy: boolean } | undefined;
  endpoint: Endpoint | undefined;
  /** What the fields contain. */
  draft: Parameters;
  /** What is wrong with them. */
  faults: readonly FieldViolation[];
  /** The rows on the page; those of an earlier run while another is under way. */
  shown: Shown | undefined;
  running: Running | undefined;
  /** What went wrong and what to do; calm if nothing is wrong, because the user wanted it. */
  problem: { title: string; text: string; isCalm: boolean } | undefined;
  sorting: Sorting | undefined;
  /** Of the rows on the page. */
  filter: Filter | undefined;
  zone: 'local' | 'utc';
  /** The moment of the chart that is read, whose rows are marked in the table. */
  chosen: number | undefined;
  /** Names of series that are not drawn. */
  hiddenSeries: ReadonlySet<string>;
  isKeptFresh: boolean;
  view: View;
  /** What a screen reader is told. */
  status: string;
}

/** Without what was shown to a key: nothing of it stays for the next. */
export const START: State = {
  ...{ session: undefined, signIn: undefined, endpoint: undefined, problem: undefined },
  ...{ draft: new URLSearchParams(), faults: [], shown: undefined, running: undefined },
  ...{ sorting: undefined, filter: undefined, zone: 'local', chosen: undefined },
  ...{ hiddenSeries: new Set(), isKeptFresh: false, view: START_VIEW, status: '' },
};

let state = START;
let show: (state: State) => void = () => undefined;

export function get(): State {
  return state;
}

/** The page shows the changes when this returns, unless it is called while the page is made: then right afterwards. */
export function set(changes: Partial<State>): void {
  state = { ...state, ...changes };
  show(state);
}

/** Called after each change. */
export function onChange(listener: typeof show): void {
  show = listener;
}

/** The IANA name of the zone in which the page shows times. */
export function timeZoneOf({ zone }: Pick<State, 'zone'>): string {
  return zone === 'utc' ? 'UTC' : localZone();
}

/** Whether the service runs queries on the local BigQuery, which costs nothing. */
export function isLocal(): boolean {
  return document.documentElement.dataset.bigquery === 'local';
}
