// Finds the parameters that are the two ends of a time range: `from_day` and `to_day`, or `from` and `to`.
import { choicesOf } from './parameter-kind.ts';
import type { Parameter } from '../service.ts';

const TIME_TYPES: ReadonlySet<string> = new Set(['DATE', 'DATETIME', 'TIMESTAMP']);

type Group = readonly [Parameter] | readonly [from: Parameter, to: Parameter];

/** Each parameter alone, or both ends where the first of them is. */
export function groupRanges(parameters: readonly Parameter[]): Group[] {
  return parameters.flatMap((parameter, index): Group[] => {
    const [, end, rest = ''] = /^(from|to)(_.+)?$/.exec(parameter.name) ?? [];
    const otherEnd = `${end === 'from' ? 'to' : 'from'}${rest}`;
    const other = parameters.findIndex(({ name }) => end !== undefined && name === otherEnd);
    const partner = parameters[other];
    if (partner === undefined || !isRange(parameter, partner)) return [[parameter]];
    if (other < index) return [];
    return [end === 'from' ? [parameter, partner] : [partner, parameter]];
  });
}

function isRange(one: Parameter, other: Parameter): boolean {
  const isFree = choicesOf(one) === undefined && choicesOf(other) === undefined;
  return one.type === other.type && TIME_TYPES.has(one.type) && isFree;
}
