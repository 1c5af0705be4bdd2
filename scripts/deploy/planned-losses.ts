// What a plan of Terraform would lose. Reads `terraform show -json`.
import { DAY_MS } from '../../functions/core/clock.ts';
import renewable from './renewable.json' with { type: 'json' };
import { isObject, parseJson } from '../../functions/core/json.ts';

type Values = Readonly<Record<string, unknown>>;

interface PlannedChange {
  address: string;
  type: string;
  action_reason?: string;
  previous_address?: string;
  change: {
    actions: readonly string[];
    before: Values | null;
    after: Values | null;
    importing?: object;
    replace_paths?: readonly (readonly (string | number)[])[];
  };
}

/** https://developer.hashicorp.com/terraform/internals/json-format#plan-representation */
export interface Plan {
  resource_changes: readonly PlannedChange[];
  output_changes?: Readonly<Record<string, { actions: readonly string[] }>>;
}

/** What may be deleted or replaced, because nothing is in it: backups and the documents of keys stay. Everything else is a loss, new types of resources too. */
const RENEWABLE: readonly string[] = renewable;
const TABLE = 'google_bigquery_table';

/** Throws for another text than that of a plan. */
export function readPlan(text: string): Plan {
  const plan = parseJson(text);
  const isKnown = isObject(plan) && String(plan.format_version).startsWith('1.');
  if (!isKnown) throw new Error('This version of Terraform writes plans in an unknown format.');
  // Absent if nothing is planned.
  return { resource_changes: [], ...plan };
}

export function changesAnything({ resource_changes: resources, output_changes = {} }: Plan) {
  const changes = [...resources.map(({ change }) => change), ...Object.values(output_changes)];
  return (
    changes.some(({ actions }) => actions.some((action) => !/^(?:no-op|read)$/.test(action))) ||
    resources.some(({ change, previous_address: moved }) => change.importing ?? moved)
  );
}

/** A text for each, without a full stop: what is deleted or replaced, columns that go, and partitions that would expire earlier. */
export function lossesOf({ resource_changes: changes }: Plan): string[] {
  return changes.flatMap((planned) => {
    const { type, change } = planned;
    if (RENEWABLE.includes(type) || isView(change.before)) return [];
    if (change.actions.includes('delete')) return [ended(planned)];
    if (type !== TABLE || !change.actions.includes('update')) return [];
    return [...lostColumns(planned), ...expiring(planned)];
  });
}

function ended({ address, action_reason: reason, change }: PlannedChange): string {
  if (!change.actions.includes('create')) return `deletes ${address}`;
  if (reason === 'replace_because_tainted') {
    return `replaces ${address}, which an earlier apply did not finish (if it is whole: terraform -chdir=infra untaint '${address}')`;
  }
  const paths = (change.replace_paths ?? []).map((path) => path.join('.'));
  return `replaces ${address}${paths.length === 0 ? '' : `, for another ${paths.join(', ')}`}`;
}

const isView = (table: Values | null): boolean =>
  Array.isArray(table?.view) && table.view.length > 0;

function lostColumns({ address, change }: PlannedChange): string[] {
  const after = columnsOf(change.after);
  const gone = columnsOf(change.before).filter((column) => !after.includes(column));
  // The fields of a STRUCT go with it.
  return gone
    .filter((column) => !gone.includes(column.replace(/\.[^.]*$/, '')) || !column.includes('.'))
    .map((column) => `drops the column ${column} of ${address}`);
}

/** With the fields of STRUCTs. An unknown schema has none, so that all count as lost. */
function columnsOf(table: Values | null): string[] {
  const flatten = (fields: unknown, prefix = ''): string[] =>
    (Array.isArray(fields) ? (fields as { name: string; fields?: unknown }[]) : []).flatMap(
      ({ name, fields: own }) => [`${prefix}${name}`, ...flatten(own, `${prefix}${name}.`)],
    );
  return flatten(parseJson(String(table?.schema)));
}

/** 0, or none, keeps partitions for ever. */
function expiring({ address, change }: PlannedChange): string[] {
  const [before, after] = [change.before, change.after].map((table) => {
    const [partitions] = (table?.time_partitioning ?? []) as { expiration_ms?: number | null }[];
    return (partitions?.expiration_ms ?? 0) || Infinity;
  }) as [number, number];
  if (after >= before) return [];
  const kept = before === Infinity ? 'all' : `${before / DAY_MS} days`;
  return [`keeps ${after / DAY_MS} days of ${address} instead of ${kept}`];
}
