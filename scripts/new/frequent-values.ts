// Finds values of parameters that are frequent in the sample rows of the tables with which a query compares them.
import { isScalarType } from '../../functions/core/parameter-type.ts';
import type { Endpoint } from '../../functions/endpoints/endpoint.ts';
import type { CanonicalParameters } from '../../functions/endpoints/parameters.ts';
import type { ColumnOrigin } from './column-origins.ts';
import type { Tables } from './first-case.ts';

/** Fields that contain an address; its first label usually names the customer. */
const ADDRESS_FIELD = /^(?:url|uri|host|hostname)$/i;
const ADDRESS_LABEL = /^(?:[a-z]+:\/\/)?([^./:?#@]+)/i;

/** A column with which the query compares a parameter. */
export interface ComparedColumn extends ColumnOrigin {
  parameter: string;
  /** `from` and `until`: the parameter is a bound, so that all rows are within. `part`: it is found in a text. */
  kind: 'equal' | 'from' | 'until' | 'part';
}

/**
 * Values that are frequent in the rows with which the query compares the parameters; those of one table are frequent together.
 * A parameter without a column, or without a value that the endpoint takes, is left out.
 */
export function frequentValues(
  endpoint: Endpoint,
  compared: readonly ComparedColumn[],
  tables: Tables,
): CanonicalParameters {
  const found: Record<string, CanonicalParameters[string]> = {};
  for (const [{ name }, rows] of tables) {
    const ofTable = compared.filter(
      ({ table, parameter }) => table === name && !Object.hasOwn(found, parameter),
    );
    const first = [...new Map(ofTable.toReversed().map((one) => [one.parameter, one])).values()];
    const isBound = ({ kind }: ComparedColumn): boolean => kind === 'from' || kind === 'until';
    const equal = first.filter((one) => !isBound(one));
    const together = rows.map((row) => equal.map((one) => valuesIn(one, row)[0]));
    const whole = together.filter((values) => values.every((value) => value !== undefined));
    const groups = [...Map.groupBy(whole, (values) => JSON.stringify(values)).values()];
    const [[most = []] = []] = groups.toSorted((a, b) => b.length - a.length);
    const values = new Map(equal.map(({ parameter }, index) => [parameter, most[index]]));
    for (const bound of first.filter(isBound)) {
      const all = rows.flatMap((row) => valuesIn(bound, row)).sort(inOrder);
      values.set(bound.parameter, all.at(bound.kind === 'from' ? 0 : -1));
    }
    for (const [parameter, value] of values) {
      const { type } = endpoint.rules.get(parameter) ?? {};
      if (type && value !== undefined) found[parameter] = isScalarType(type) ? value : [value];
    }
  }
  return found;

  /** The texts of a column that its parameter can have. */
  function valuesIn({ parameter, path, kind }: ComparedColumn, row: unknown): string[] {
    const rule = endpoint.rules.get(parameter);
    const isPattern = endpoint.parameters[parameter]?.format === 're2';
    const isAddress = kind === 'part' && ADDRESS_FIELD.test(path.at(-1) ?? '');
    return textsAt(row, path).flatMap((whole) => {
      const text = isAddress ? (ADDRESS_LABEL.exec(whole)?.[1] ?? '') : whole;
      if (text === '') return [];
      // The pattern that matches this text alone.
      const pattern = text.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
      const time = text.replace(/ UTC$/, 'Z').replace(/^(\d{4}-\d\d-\d\d) /, '$1T');
      const midnight = `${time}T00:00:00`;
      const spelled = [time, time.slice(0, 10), time.slice(0, 19), midnight, `${midnight}Z`];
      const value = (isPattern ? [pattern] : [text, ...spelled])
        .map((one) => rule?.canonical(one))
        .find((one) => one !== undefined);
      return value && rule?.checkElement(value) === undefined ? [value] : [];
    });
  }
}

/** The values of a field, with those in lists, as texts. */
function textsAt(value: unknown, path: readonly string[]): string[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value.flatMap((one) => textsAt(one, path));
  const [name, ...rest] = path;
  if (name === undefined) return [typeof value === 'string' ? value : JSON.stringify(value)];
  return textsAt((value as Record<string, unknown>)[name], rest);
}

function inOrder(a: string, b: string): number {
  const difference = Number(a) - Number(b);
  return Number.isNaN(difference) ? Number(a > b) - Number(a < b) : difference;
}
