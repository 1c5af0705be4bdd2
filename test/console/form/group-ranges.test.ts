// Which parameters the console shows as one time range.
import { groupRanges } from '../../../functions/console/form/group-ranges.ts';
import type { Parameter } from '../../../functions/console/service.ts';
import { parameter } from '../../support/sql/fake-sql-tree.ts';

/** Such as `from_day:DATE to_day:DATE`. */
function parameters(list: string): Parameter[] {
  return list.split(' ').map((each) => {
    const [name = '', type = 'DATE', choice] = each.split(':');
    const definition = parameter(choice === undefined ? {} : { enum: [choice] });
    return { name, ...definition, type: type as Parameter['type'] };
  });
}

it.each([
  ['from_day:DATE to_day:DATE', ['from_day to_day']],
  ['to:TIMESTAMP shop:STRING from:TIMESTAMP', ['from to', 'shop']],
  ['from_a:DATETIME from_b:DATE to_b:DATE', ['from_a', 'from_b to_b']],
  ['from_day:DATE to_day:TIMESTAMP', ['from_day', 'to_day']],
  ['from_n:INT64 to_n:INT64', ['from_n', 'to_n']],
  ['from_day:DATE:2026-11-20 to_day:DATE', ['from_day', 'to_day']],
  ['from_day:ARRAY<DATE> to_day:ARRAY<DATE>', ['from_day', 'to_day']],
  ['fromage:DATE toage:DATE day_from:DATE day_to:DATE', ['fromage', 'toage', 'day_from', 'day_to']],
])('groups %s', (list, expected) => {
  const groups = groupRanges(parameters(list));
  expect(groups.map((group) => group.map(({ name }) => name).join(' '))).toEqual(expected);
});
