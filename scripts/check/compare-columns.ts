// Compares the columns that a query returns with `row` of its endpoint, by name.
import type { CatalogueFault } from '../faults/definition-fault.ts';
import type { ColumnDefinition } from '../../functions/endpoints/endpoint.ts';
import { pointerStep } from '../faults/schema-error.ts';
import { columnType } from '../../functions/bigquery/check-page.ts';
import type { TableField } from '../local-bigquery/index.ts';

type RowFault = Required<Pick<CatalogueFault, 'message' | 'pointer'>>;

/** A fault for each column that differs, and one for their order. */
export function compareColumns(
  fileName: string,
  row: Readonly<Record<string, ColumnDefinition>>,
  returned: readonly TableField[],
): RowFault[] {
  const faults: RowFault[] = [];
  const report = (name: string | undefined, message: string): void => {
    faults.push({ pointer: name === undefined ? '/row' : `/row${pointerStep(name)}`, message });
  };
  const types = new Map<string, string>();
  for (const field of returned) {
    const { name } = field;
    // A second column of the same name is reported as a fault of the query.
    if (!types.has(name) && !Object.hasOwn(row, name)) {
      report(undefined, `row lacks the column ${name} ${typeOf(field)}, which ${fileName} returns`);
    }
    types.set(name, typeOf(field));
  }
  for (const [name, column] of Object.entries(row)) {
    const type = types.get(name);
    if (type === undefined) report(name, `row.${name} is not a column that ${fileName} returns`);
    else if (typeOf(column) !== type) {
      report(name, `row.${name} is ${typeOf(column)}, but ${fileName} returns ${type}`);
    }
  }
  const [ofRow, ofQuery] = [Object.keys(row), [...types.keys()]];
  const declared = ofRow.filter((name) => types.has(name));
  const actual = ofQuery.filter((name) => Object.hasOwn(row, name));
  const place = declared.findIndex((name, index) => name !== actual[index]);
  const [first, other] = [declared[place], actual[place]];
  if (first !== undefined) {
    report(first, `row.${first} comes before row.${other}, but ${fileName} returns ${other} first`);
  }
  return faults;
}

export function typeOf({ type, mode }: Pick<TableField, 'type' | 'mode'>): string {
  const name = columnType(type);
  return mode === 'REPEATED' ? `REPEATED ${name}` : name;
}
