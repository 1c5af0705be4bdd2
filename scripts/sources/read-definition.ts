// Reads how a table is stored from its table.json, and finds all that BigQuery would refuse in it.
import { schemaCheck } from '../faults/schema-error.ts';
import schema from '../../sql/table.schema.json' with { type: 'json' };
import { type DefinitionFault, byPlace } from '../faults/definition-fault.ts';
import type { JsonDocument } from '../faults/json-document.ts';
import { isRepeated, kindOf, nameParts, parseTable } from '../local-bigquery/index.ts';
import type { Partitioning, TableDefinition, TableField } from '../local-bigquery/index.ts';

/** The definition of a table without table.json. */
export const PLAIN_TABLE: TableDefinition = {
  ...{ partitioning: null, requirePartitionFilter: false, clustering: [] },
};

const PARTITION_KINDS = ['TYPE_TIMESTAMP', 'TYPE_DATETIME', 'TYPE_DATE'];
// https://cloud.google.com/bigquery/docs/clustered-tables#cluster_column_types has the others.
const UNCLUSTERED = 'BYTES DOUBLE INTERVAL JSON STRUCT TIME'
  .split(' ')
  .map((kind) => `TYPE_${kind}`);

const check = schemaCheck(schema, 'table.json');

type StatedDefinition = Partial<TableDefinition> & { $schema?: string };

/**
 * Adds the faults to `faults`; the definition is that without table.json if its fields are not those of the schema. The document
 * must have no fault of JSON. Without `fields`, columns are not looked up.
 */
export function readDefinition(
  name: string,
  document: JsonDocument,
  fields: readonly TableField[] | undefined,
  faults: DefinitionFault[],
): TableDefinition {
  const ofSchema = check(document.value);
  for (const { pointer, message } of ofSchema) report(pointer, message);
  if (ofSchema.length > 0) {
    faults.sort(byPlace);
    return PLAIN_TABLE;
  }
  const { $schema: _, ...stated } = document.value as StatedDefinition;
  const definition: TableDefinition = { ...PLAIN_TABLE, ...stated };
  const { partitioning, clustering, requirePartitionFilter, table, columns, shards } = definition;
  if (fields !== undefined) {
    if (partitioning) checkPartitioning(partitioning, fields);
    for (const column of Object.keys(columns ?? {})) {
      if (fields.some((field) => field.name === column)) continue;
      report(`/columns/${column}`, `columns: schema.json has no column ${column}`);
    }
    for (const [index, column] of clustering.entries()) {
      const found = findColumn(column, fields);
      const fault =
        typeof found === 'string'
          ? found
          : UNCLUSTERED.includes(kindOf(found.type) ?? '') &&
            `${column} is ${found.type}, a type that BigQuery cannot cluster by`;
      if (fault) report(`/clustering/${index}`, `clustering: ${fault}`);
    }
  }
  if (requirePartitionFilter && partitioning === null && shards === undefined) {
    report('/requirePartitionFilter', 'requirePartitionFilter needs partitioning or shards');
  }
  checkPlace();
  faults.sort(byPlace);
  return definition;

  function report(pointer: string, message: string): void {
    faults.push(document.faultAt(pointer, message));
  }

  function checkPartitioning({ type, field }: Partitioning, columns: readonly TableField[]): void {
    if (field === undefined) return;
    const column = findColumn(field, columns);
    const at = '/partitioning/field';
    if (typeof column === 'string') return report(at, `partitioning.field: ${column}`);
    const kind = kindOf(column.type) ?? '';
    if (!PARTITION_KINDS.includes(kind)) {
      report(at, `partitioning.field: ${field} is ${column.type}, not TIMESTAMP, DATETIME or DATE`);
    }
    if (type === 'HOUR' && kind === 'TYPE_DATE') {
      report('/partitioning/type', `partitioning.type: ${field} is DATE, which has no hours`);
    }
  }

  /** Checks the place of the table against the name by which queries read it. */
  function checkPlace(): void {
    const folder = nameParts(name);
    if (columns && (table === undefined || folder.dataset !== undefined)) {
      report(
        '/columns',
        'columns: only a view has them, a folder without a dataset in its name, with table',
      );
    }
    if (shards !== undefined) {
      const own = shards.prefix.replace(/_+$/, '');
      if (partitioning) report('/shards', 'shards: a source has shards or partitions');
      const isOwn = folder.table === shards.prefix || folder.table === own;
      if (folder.dataset === undefined || !isOwn) {
        const expected = `${folder.dataset ?? 'analytics'}.${own}`;
        report(
          '/shards/prefix',
          `shards.prefix: name the folder as queries do, such as ${expected}`,
        );
      }
    }
    if (table !== undefined && folder.dataset !== undefined) {
      const named = parseTable(table);
      const own = shards === undefined ? folder.table : `${shards.prefix}*`;
      if (named.dataset !== folder.dataset || named.table !== own) {
        const expected = `${folder.dataset}.${own}`;
        report('/table', `table: queries of ${name} read ${expected}, with or without a project`);
      }
    } else if (table?.endsWith('*')) report('/table', 'table: a wildcard needs shards');
    if (!partitioning) return;
    const { field, expires } = partitioning;
    if (table !== undefined && folder.dataset === undefined && field === undefined) {
      const { dataset, table: last } = parseTable(table);
      const message = `a view hides _PARTITIONTIME: name the folder ${dataset}.${last}`;
      report('/partitioning', `partitioning: ${message}`);
    }
    if (expires && (table !== undefined || folder.dataset !== undefined)) {
      report('/partitioning/expires', 'partitioning.expires: no deployment creates this table');
    }
  }
}

/** The column of this name, or why none can be used. */
function findColumn(name: string, fields: readonly TableField[]): TableField | string {
  const column = fields.find((field) => field.name === name);
  if (column !== undefined) return isRepeated(column) ? `${name} is REPEATED` : column;
  const [first = '', ...nested] = name.split('.');
  const record = fields.find((field) => field.name === first);
  if (nested.length > 0 && record !== undefined) {
    return `${name} is nested in ${first}; name a column at the top`;
  }
  const letters = (text: string): string => text.toLowerCase().replaceAll('_', '');
  const similar = fields.find((field) => letters(field.name) === letters(name));
  const hint = similar === undefined ? '' : `; did you mean ${similar.name}?`;
  return `schema.json has no column ${name}${hint}`;
}
