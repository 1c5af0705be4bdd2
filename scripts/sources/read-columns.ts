// Reads the columns of a table from its schema.json, and finds all that BigQuery would refuse in them.
import { isObject } from '../../functions/core/json.ts';
import type { DefinitionFault } from '../faults/definition-fault.ts';
import { pointerStep } from '../faults/schema-error.ts';
import type { JsonDocument } from '../faults/json-document.ts';
import { kindOf, type TableField } from '../local-bigquery/index.ts';

const MODES = ['NULLABLE', 'REQUIRED', 'REPEATED'];
/** https://cloud.google.com/bigquery/docs/reference/rest/v2/tables#TableFieldSchema */
const FIELDS = (
  'name type mode fields description categories collation dataPolicies defaultValueExpression ' +
  'foreignTypeDefinition generatedColumn maxLength nameAlternative policyTags precision rangeElementType ' +
  'roundingMode scale timestampPrecision'
).split(' ');
const RANGE_TYPES = ['DATE', 'DATETIME', 'TIMESTAMP'];

// https://cloud.google.com/bigquery/docs/schemas#column_names, with flexible column names.
const NAME_LENGTH_MAX = 300;
const NAME = /^[\p{L}\p{N}\p{Pc}\p{Pd}\p{M}\s&%=+:'<>#|]+$/u;
const RESERVED_PREFIX =
  /^(?:_TABLE_|_FILE_|_PARTITION|_ROW_TIMESTAMP|__ROOT__|_COLIDENTIFIER|_CHANGE_SEQUENCE_NUMBER|_CHANGE_TYPE|_CHANGE_TIMESTAMP)/i;

/** Returns every column that has a name, even with faults, if the JSON has no fault; `type` is empty if there is none. */
export function readColumns(document: JsonDocument) {
  const faults: DefinitionFault[] = [];
  const { value } = document;
  if (Array.isArray(value) && value.length > 0) return { fields: readList(value, '', ''), faults };
  report('', 'expected a list of columns, as `bq show --schema` prints it');
  return { fields: [], faults };

  function report(pointer: string, message: string): void {
    faults.push(document.faultAt(pointer, message));
  }

  /** `record` is the path of the RECORD whose fields these are, such as `request.`; empty at the top. */
  function readList(list: readonly unknown[], pointer: string, record: string): TableField[] {
    const names = new Set<string>();
    return list.flatMap((column, index) => {
      const at = `${pointer}/${index}`;
      if (!isObject(column)) {
        report(at, 'expected a column, an object with name and type');
        return [];
      }
      const { name } = column;
      if (typeof name !== 'string' || name === '') {
        report(at, `the column has no name${record && ` (in ${record.slice(0, -1)})`}`);
        return [];
      }
      const path = record + name;
      const nameFault = faultOfName(name);
      if (nameFault !== undefined) report(`${at}/name`, `${path}: ${nameFault}`);
      if (names.has(name.toLowerCase())) {
        report(`${at}/name`, `${path}: duplicate name (ignoring letter case)`);
      }
      names.add(name.toLowerCase());
      return [readColumn(column, name, at, path)];
    });
  }

  function readColumn(
    given: Readonly<Record<string, unknown>>,
    name: string,
    at: string,
    path: string,
  ): TableField {
    const { type, mode, description, fields, rangeElementType } = given;
    const column: TableField = { name, type: typeof type === 'string' ? type : '' };
    const kind = kindOf(column.type);
    if (type === undefined) report(at, `${path}: the column has no type`);
    else if (kind === undefined) {
      report(`${at}/type`, `${path}: BigQuery has no type ${JSON.stringify(type)}`);
    }
    if (isOneOf(MODES, mode)) column.mode = mode;
    else if (mode !== undefined) {
      const found = JSON.stringify(mode);
      report(`${at}/mode`, `${path}: mode is ${MODES.join(', ')} or absent, not ${found}`);
    }
    for (const field of Object.keys(given).filter((one) => !FIELDS.includes(one))) {
      report(at + pointerStep(field), `${path}: a BigQuery column has no field ${field}`);
    }
    if (typeof description === 'string') column.description = description;
    if (kind === 'TYPE_STRUCT') {
      if (Array.isArray(fields) && fields.length > 0) {
        column.fields = readList(fields, `${at}/fields`, `${path}.`);
      } else report(fields === undefined ? at : `${at}/fields`, `${path}: a RECORD needs fields`);
    }
    if (kind === 'TYPE_RANGE') {
      const element = isObject(rangeElementType) ? rangeElementType.type : undefined;
      if (isOneOf(RANGE_TYPES, element)) column.rangeElementType = { type: element };
      else report(at, `${path}: a RANGE needs rangeElementType, such as {"type": "DATE"}`);
    }
    return column;
  }
}

/** Completes "<column>: …". */
function faultOfName(name: string): string | undefined {
  const [reserved] = RESERVED_PREFIX.exec(name) ?? [];
  if (reserved !== undefined) return `BigQuery reserves names that begin with ${reserved}`;
  if (!NAME.test(name)) return 'BigQuery does not allow this name; use letters, digits and _';
  if (name.length > NAME_LENGTH_MAX) return `a name has at most ${NAME_LENGTH_MAX} characters`;
  return undefined;
}

/** Ignores letter case. */
function isOneOf(names: readonly string[], value: unknown): value is string {
  return typeof value === 'string' && names.includes(value.toUpperCase());
}
