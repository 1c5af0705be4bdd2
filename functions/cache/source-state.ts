// Decides whether a result is still current: whether anything that its query depends on has changed.
import { sha256Hex } from '../core/bytes.ts';
import { splitLast } from '../core/query-runner.ts';
import type { LiveEntry, SourceState, SourceStates } from '../core/result-store.ts';
import type { Uses } from '../core/services.ts';
import type { Endpoint, SlowClock, SourceName } from '../endpoints/endpoint.ts';

/** The places of the tables of a deployment: `dataset` is `dataset` or `project.dataset`, and `sourceTables` are those behind views, by their names. */
export type SourcePlaces = Uses<'project' | 'dataset' | 'sourceTables'>;

/** `project.dataset.table`, or `project.dataset.prefix*` for shards; for a view, the table behind it and the view itself. */
export function placesOf(name: SourceName, places: SourcePlaces) {
  const behind = name.dataset === undefined ? places.sourceTables.get(name.table) : undefined;
  const dataset =
    name.dataset === undefined
      ? datasetPath(places)
      : `${name.project ?? places.project}.${name.dataset}`;
  const named = `${dataset}.${name.table}`;
  return behind === undefined ? { table: named } : { table: behind, view: named };
}

/** `project.dataset` of the tables whose names in queries have no dataset. */
export function datasetPath({ project, dataset }: Omit<SourcePlaces, 'sourceTables'>): string {
  return splitLast(dataset).before === undefined ? `${project}.${dataset}` : dataset;
}

/** Undefined if neither digest is known: the answer depends on more than tables, or their state is not known. */
export function sourceState(
  { dependsOn, incremental }: Pick<Endpoint, 'dependsOn' | 'incremental'>,
  states: SourceStates | undefined,
  places: SourcePlaces,
): SourceState | undefined {
  if (states === undefined) return undefined;
  const digest = dependsOn && digestOf(dependsOn.sources.flatMap(factsOf));
  const restDigest =
    incremental &&
    digestOf([
      ...incremental.others.flatMap(factsOf),
      // Not the state of its rows, which the history of its partitions tells.
      ...factsOf(incremental.partitioned).map(([kind = '', name = '', state]) => [
        kind,
        name,
        kind === 'rows' ? '' : state,
      ]),
    ]);
  if (digest === undefined && restDigest === undefined) return undefined;
  return { askedAtMs: states.askedAtMs, digest: digest ?? '', restDigest };

  function factsOf(source: SourceName): (string | undefined)[][] {
    const { table, view } = placesOf(source, places);
    const rows = ['rows', table, states?.byTable.get(table)];
    // The view may show another table by now, or not yet that of the settings.
    return view === undefined ? [rows] : [rows, ['view', view, states?.byView.get(view)]];
  }
}

/** Undefined if one of the states is. */
function digestOf(facts: readonly (string | undefined)[][]): string | undefined {
  if (facts.some(([, , state]) => state === undefined)) return undefined;
  return sha256Hex(JSON.stringify(facts.map((fact) => JSON.stringify(fact)).sort()));
}

/** Whether the query of an entry would give its rows again; `asked` is the present state of its tables. */
export function isUnchanged(
  { dependsOn }: Pick<Endpoint, 'dependsOn'>,
  { sources, computedAtMs }: Pick<LiveEntry, 'sources' | 'computedAtMs'>,
  asked: SourceState | undefined,
): boolean {
  if (dependsOn === undefined || asked === undefined || sources === undefined) return false;
  return (
    sources.digest !== '' &&
    sources.digest === asked.digest &&
    // Lower bounds by the clock that the query reads, BigQuery's or that of `@now`, so no tick in between is missed.
    dependsOn.clocks.every((clock) => {
      const before = tick(clock, Math.min(sources.askedAtMs, computedAtMs));
      return before !== undefined && before === tick(clock, asked.askedAtMs);
    })
  );
}

/** One for each clock of the definitions, because making one takes longer than using it. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** A text that changes with each tick, even if an hour occurs twice; undefined in a zone that Node.js does not know. */
function tick({ unit, timeZone }: SlowClock, ms: number): string | undefined {
  const day = { timeZone, year: 'numeric', month: 'numeric', day: 'numeric' } as const;
  const hour = { hour: 'numeric', hourCycle: 'h23', timeZoneName: 'longOffset' } as const;
  const name = `${unit} ${timeZone}`;
  try {
    const format =
      formats.get(name) ??
      new Intl.DateTimeFormat('en', unit === 'DAY' ? day : { ...day, ...hour });
    formats.set(name, format);
    return format.format(ms);
  } catch {
    return undefined;
  }
}
