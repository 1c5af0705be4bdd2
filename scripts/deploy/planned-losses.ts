// What a plan of Terraform would lose: rows, values of columns, results, or something of others. Reads `terraform show -json`.
import { DAY_MS } from '../../functions/core/clock.ts';
import { isObject, parseJson } from '../../functions/core/json.ts';
import { namesOf } from './defaults.ts';

/** One that `--allow-loss ID` allows. */
export interface Loss {
  /** `column:orders.total`, `table:orders`, `partitions:orders`, `function:query`, `access:query`, `job:warm`, or an address of Terraform. */
  id: string;
  /** What would happen, without a full stop. */
  text: string;
  /** A table or dataset whose protection in the state must end first. */
  isProtected?: boolean;
  /** Not created by this deployment, so that an end of its protection says nothing. */
  isOfOthers?: boolean;
}

interface PlannedChange {
  address: string;
  type: string;
  index?: string | number;
  action_reason?: string;
  previous_address?: string;
  change: {
    actions: readonly string[];
    before: Readonly<Record<string, unknown>> | null;
    after: Readonly<Record<string, unknown>> | null;
    importing?: object;
    replace_paths?: readonly (readonly (string | number)[])[];
  };
}

/** https://developer.hashicorp.com/terraform/internals/json-format#plan-representation */
export interface Plan {
  variables?: Readonly<Record<string, { value?: unknown }>>;
  resource_changes: readonly PlannedChange[];
  output_changes?: Readonly<Record<string, { actions: readonly string[] }>>;
}

/**
 * What may be deleted or replaced: nothing in it is lost, or a name was removed from `api_keys`, which revokes a key.
 * Everything else is a loss, new types of resources too.
 */
const RENEWABLE = [
  ...['terraform_data', 'random_bytes', 'google_firestore_field'],
  ...['google_firestore_backup_schedule', 'google_monitoring_uptime_check_config'], // Backups stay.
  ...['google_secret_manager_secret', 'google_secret_manager_secret_version'],
  ...['google_secret_manager_secret_iam_member', 'google_project_iam_member'],
  ...['google_bigquery_dataset_access', 'google_bigquery_dataset_iam_member'],
  ...['google_bigquery_table_iam_member'],
  ...['google_cloud_scheduler_job', 'google_project_service'],
  ...['google_storage_bucket_object', 'google_logging_metric', 'google_logging_project_sink'],
  ...['google_monitoring_alert_policy', 'google_monitoring_dashboard'],
  'google_monitoring_notification_channel',
];
export const TABLE = 'google_bigquery_table';
const FUNCTION = 'google_cloudfunctions2_function';
/** All documents that Terraform manages are API keys. */
const KEY = 'google_firestore_document';
/** The reason of Terraform for what `-replace` names. */
const BY_REQUEST = 'replace_by_request';
/** Not a function of Google's, but one for callers; see infra/functions.tf. */
const SERVICE = 'google_cloud_run_v2_service';
const ACCESS = 'google_cloud_run_v2_service_iam_member';

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

export function lossesOf(plan: Plan): Loss[] {
  const { resource_changes: changes } = plan;
  return changes.flatMap((planned): Loss[] => {
    const { type, address, change } = planned;
    const before = change.before ?? {};
    if (change.importing !== undefined) return adopted(planned, plan);
    if (change.actions.includes('delete')) {
      if (type === TABLE) return isView(before) ? [] : [deletedTable(planned, changes)];
      if (type === FUNCTION || type === SERVICE) return [deletedFunction(planned)];
      if (type === ACCESS) return endedAccess(planned);
      if (type === KEY) return endedKey(planned, changes);
      // A new version may need an account less. Of one that is made again, what others granted to it is lost.
      if (type === 'google_service_account' && !change.actions.includes('create')) return [];
      if (RENEWABLE.includes(type)) return [];
      const isProtected = before.delete_contents_on_destroy === false;
      return [
        {
          id: address,
          text: `deletes ${address} with its content${tainted(planned)}`,
          isProtected,
        },
      ];
    }
    if (!change.actions.includes('update')) return [];
    if (type === TABLE && !isView(before)) return [...lostColumns(planned), ...expiring(planned)];
    return takenOver(planned, plan);
  });
}

const TAINTED = 'replace_because_tainted';

function tainted({ action_reason: reason, address }: PlannedChange): string {
  if (reason !== TAINTED) return '';
  return `, because an earlier apply did not finish it (if it is whole: terraform -chdir=infra untaint '${address}')`;
}

function deletedFunction(planned: PlannedChange): Loss {
  const { before, after } = planned.change;
  const name = String(before?.name);
  const isSame = after?.name === name && after.location === before?.location;
  const end = isSame ? 'it does not answer until it is there again' : 'its URL ends';
  return {
    id: `function:${name}`,
    text: `deletes the function ${name}: ${end}${tainted(planned)}`,
  };
}

/** Callers without credentials reach a service as long as IAM lets everyone call it. */
function endedAccess({ change: { before } }: PlannedChange): Loss[] {
  if (before?.member !== 'allUsers') return [];
  // The provider reads the whole path.
  const name = String(before.name).replace(/.*\//, '');
  return [{ id: `access:${name}`, text: `ends the access of all callers to ${name} at its URL` }];
}

/** A key whose name stays, but whose callers have another one. A name that is removed revokes its key on purpose. */
function endedKey(planned: PlannedChange, all: readonly PlannedChange[]): Loss[] {
  const { index, change } = planned;
  const id = `key:${index}`;
  const isAsked = all.some(
    ({ type, index: other, action_reason: reason }) =>
      type === 'random_bytes' && other === index && reason === BY_REQUEST,
  );
  if (change.actions.includes('create')) {
    const text = `replaces the API key ${index}: the one that callers have ends`;
    return isAsked ? [] : [{ id, text }];
  }
  const renamed = all.find(
    ({ type, change: other }) =>
      type === KEY &&
      other.actions.includes('create') &&
      other.after?.document_id === change.before?.document_id,
  );
  if (renamed === undefined) return [];
  const text = `deletes the API key ${index} and creates it as ${renamed.index}, in any order: use the block "moved" at the top of infra/keys.tf`;
  return [{ id, text }];
}

/** Attributes that Terraform keeps in its state alone, or that follow from others. */
const OF_STATE =
  /^(?:deletion_protection|deletion_policy|delete_contents_on_destroy|force_destroy|skip_wait|timeouts|terraform_labels|effective_labels|labels|etag|id)$/;

/** What exists and is taken over has what this deployment would have created, or it is not of this deployment. */
function adopted(planned: PlannedChange, plan: Plan): Loss[] {
  const { address, change } = planned;
  const { before, after, actions } = change;
  const id = `adopt:${address}`;
  const ofOthers = takenOver(planned, plan);
  if (ofOthers.length > 0) return ofOthers;
  const project = plan.variables?.project_id?.value;
  if (typeof before?.project === 'string' && before.project !== project) {
    const text = `takes over ${address}, which is in the project ${before.project}`;
    return [{ id, text, isOfOthers: true }];
  }
  // A database does not say whose it is.
  const named = plan.variables?.deployment?.value as string | null | undefined;
  const { firestore_database, keys_database } = namesOf(named);
  const isDatabase = planned.type === 'google_firestore_database';
  if (named && isDatabase && ![firestore_database, keys_database].includes(String(before?.name))) {
    const text = `takes over the database ${String(before?.name)}, which may be of another deployment`;
    return [{ id, text, isOfOthers: true }];
  }
  if (actions.includes('no-op')) return [];
  const changed = Object.keys(after ?? {}).filter(
    (name) =>
      !OF_STATE.test(name) && JSON.stringify(after?.[name]) !== JSON.stringify(before?.[name]),
  );
  if (changed.length === 0 && !actions.includes('delete')) return [];
  const text = `takes over ${address}, which this deployment would have created otherwise, and changes ${changed.join(', ')}`;
  return [{ id, text, isOfOthers: true }];
}

function deletedTable(planned: PlannedChange, all: readonly PlannedChange[]): Loss {
  const { change, index, action_reason: reason } = planned;
  const name = tableName(planned);
  const loss = { id: `table:${name}`, isProtected: change.before?.deletion_protection === true };
  if (!change.actions.includes('create')) {
    const hasView = all.some(
      (other) => other !== planned && other.index === index && isView(other.change.after ?? {}),
    );
    const why = hasView ? 'a view takes its place' : 'nothing in sql/sources needs it';
    return { ...loss, text: `deletes the table ${name} with its rows: ${why}` };
  }
  const paths = (change.replace_paths ?? []).map((path) => path.join('.'));
  const reasons = [
    ...(reason === BY_REQUEST ? ['-replace asks for it'] : []),
    ...(reason === TAINTED ? [tainted(planned).slice(2)] : []),
    ...(paths.includes('schema') ? columnChanges(planned) : []),
    ...paths.filter((path) => path !== 'schema').map((path) => `${path} changes`),
  ];
  const text = `replaces the table ${name} by an empty one: ${reasons.join(', ') || 'Terraform cannot change it in place'}`;
  return { ...loss, text };
}

function lostColumns(planned: PlannedChange): Loss[] {
  const [before, after] = columnsOf(planned);
  const name = tableName(planned);
  return (
    [...before.keys()]
      // The fields of a STRUCT go with it.
      .filter(
        (column) => !after.has(column) && (parentOf(column) === '' || after.has(parentOf(column))),
      )
      .map((column) => ({
        id: `column:${name}.${column}`,
        text: `drops the column ${column} of the table ${name} with its values`,
      }))
  );
}

/** Partitions that would expire earlier. 0, or none, keeps them. */
function expiring(planned: PlannedChange): Loss[] {
  const [before, after] = [planned.change.before, planned.change.after].map((table) => {
    const [partitions] = (table?.time_partitioning ?? []) as { expiration_ms?: number | null }[];
    return (partitions?.expiration_ms ?? 0) || Infinity;
  }) as [number, number];
  if (after >= before) return [];
  const name = tableName(planned);
  const kept = before === Infinity ? 'all are kept' : `${before / DAY_MS} are kept`;
  const text = `deletes the partitions of the table ${name} that are older than ${after / DAY_MS} days (so far ${kept})`;
  return [{ id: `partitions:${name}`, text }];
}

/** A function or job that runs as another account was not created by this deployment. */
function takenOver({ type, change }: PlannedChange, { variables }: Plan): Loss[] {
  const before = change.before as {
    name: string;
    service_config?: { service_account_email?: string }[];
    http_target?: { oidc_token?: { service_account_email?: string }[] }[];
    template?: { service_account?: string }[];
  };
  const kind = {
    [FUNCTION]: 'function',
    [SERVICE]: 'function',
    google_cloud_scheduler_job: 'job',
  };
  const noun = kind[type as keyof typeof kind];
  const account =
    before.service_config?.[0]?.service_account_email ??
    before.http_target?.[0]?.oidc_token?.[0]?.service_account_email ??
    before.template?.[0]?.service_account ??
    '';
  const { prefix } = namesOf(variables?.deployment?.value as string | null | undefined);
  if (noun === undefined || account.startsWith(prefix)) return [];
  const text = `takes over the ${noun} ${before.name}, which this deployment did not create: it runs as ${account || 'no account'}`;
  return [{ id: `${noun}:${before.name}`, text, isOfOthers: true }];
}

function isView(table: Readonly<Record<string, unknown>>): boolean {
  return Array.isArray(table.view) && table.view.length > 0;
}

function tableName({ change }: PlannedChange): string {
  return String(change.before?.table_id);
}

interface Field {
  name: string;
  type: string;
  mode?: string;
  fields?: Field[];
}

function columnChanges(planned: PlannedChange): string[] {
  const [before, after] = columnsOf(planned);
  const changed = [...before].map(([name, type]) => {
    const now = after.get(name);
    if (now === undefined) return `the column ${name} is gone`;
    return now === type ? '' : `the column ${name} is ${now} instead of ${type}`;
  });
  const added = [...after].map(([name, type]) =>
    before.has(name) || !type.startsWith('REQUIRED')
      ? ''
      : `the column ${name} is new and REQUIRED`,
  );
  return [...changed, ...added].filter((text) => text !== '');
}

/** Before and after, with the fields of STRUCTs, and `mode type` of each. An unknown schema has none, so that all count as lost. */
function columnsOf({ change }: PlannedChange) {
  return [change.before, change.after].map((table) => {
    const fields = parseJson(String(table?.schema));
    return new Map(flatten(Array.isArray(fields) ? (fields as Field[]) : [], ''));
  }) as [Map<string, string>, Map<string, string>];
}

const parentOf = (column: string): string => column.slice(0, Math.max(0, column.lastIndexOf('.')));

function flatten(fields: readonly Field[], prefix: string): [string, string][] {
  return fields.flatMap(({ name, type, mode = 'NULLABLE', fields: own = [] }) => [
    [`${prefix}${name}`, `${mode} ${type}`] as [string, string],
    ...flatten(own, `${prefix}${name}.`),
  ]);
}
