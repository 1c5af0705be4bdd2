// The state of the page, in one place: code that changes it sets fields, and code that shows it listens to fields.
import type { Explanation } from './explain-error.ts';
import { localZone } from './form/wall-clock.ts';
import type { Filter } from './result/filter/filter-rows.ts';
import type { Sorting } from './result/table/sort-rows.ts';
import type { Answer, Endpoint, Parameters } from './service.ts';

interface Shown {
  endpoint: Endpoint;
  parameters: Parameters;
  answer: Answer;
}

/** The part of an endpoint that the page shows; a link can contain it. */
export interface View {
  tab: 'result' | 'columns' | 'code' | 'json';
  /** Names of columns. */
  hiddenColumns: readonly string[];
  /** Names of columns; those that are missing follow in the order of the endpoint. */
  columnOrder: readonly string[];
  /** Names of series of the chart; without a known one, the chart chooses. */
  drawnSeries: readonly string[];
}

export interface State {
  /** Undefined until a key, or a token in its place, has opened the list of endpoints. */
  session: { key: string; keyName: string; endpoints: readonly Endpoint[] } | undefined;
  current: Endpoint | undefined;
  /** The rows on the page; those of an earlier run while another is under way. */
  shown: Shown | undefined;
  running:
    | {
        controller: AbortController;
        /** When the run began, or its query, if that goes on and began before. */
        startedMs: number;
        /** True once the service has answered that the query goes on. */
        goesOn: boolean;
      }
    | undefined;
  problem: Explanation | undefined;
  sorting: Sorting | undefined;
  /** Of the rows on the page; its line above the table is shown while there is one. */
  filter: Filter | undefined;
  zone: 'local' | 'utc';
  /** Rows of the moment that is chosen in the chart. */
  chosenRows: readonly number[];
  isKeptFresh: boolean;
  view: View;
}

/** The IANA name of the zone in which the page shows times. */
export function timeZoneOf({ zone }: Pick<State, 'zone'>): string {
  return zone === 'utc' ? 'UTC' : localZone();
}

type Listener = (state: State, before: State) => void;

export interface Store {
  get: () => State;
  set: (changes: Partial<State>) => void;
  /** Called after each change of one of these fields. */
  listen: (fields: readonly (keyof State)[], listener: Listener) => void;
}

export function createStore(): Store {
  let state: State = {
    session: undefined,
    current: undefined,
    shown: undefined,
    running: undefined,
    problem: undefined,
    sorting: undefined,
    filter: undefined,
    zone: 'local',
    chosenRows: [],
    isKeptFresh: false,
    view: { tab: 'result', hiddenColumns: [], columnOrder: [], drawnSeries: [] },
  };
  const listeners: { fields: readonly (keyof State)[]; listener: Listener }[] = [];
  return {
    get: () => state,
    set(changes) {
      const before = state;
      state = { ...state, ...changes };
      const changed = Object.keys(changes) as (keyof State)[];
      const differs = new Set(changed.filter((field) => changes[field] !== before[field]));
      for (const { fields, listener } of listeners) {
        // An earlier listener may have changed `state` further.
        if (fields.some((field) => differs.has(field))) listener(state, before);
      }
    },
    listen: (fields, listener) => void listeners.push({ fields, listener }),
  };
}
