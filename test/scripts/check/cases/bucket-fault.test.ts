// Tests of the rows of a result against the bucket of the definition: by step, calendar and time zone.
import { createParameterRule } from '../../../../functions/endpoints/parameter-rule.ts';
import { bucketFault } from '../../../../scripts/check/cases/bucket-fault.ts';
import { casesBeside } from '../../../support/cases.ts';
import { parameter } from '../../../support/sql/fake-sql-tree.ts';

const cases = casesBeside(import.meta.filename);

function faultOf(step: string, texts: readonly (string | null)[]): string | undefined {
  const rows = texts.map((at) => ({ at, total: 1 }));
  return bucketFault({ bucket: { column: 'at', step }, rules: new Map() }, {}, rows);
}

it.each(cases<[step: string, what: string, texts: (string | null)[]]>('starts'))(
  'accepts for %s: %s',
  (step, _, texts) => {
    expect(faultOf(step, texts)).toBeUndefined();
  },
);

it.each(cases<[step: string, ...texts: string[]]>('no starts'))(
  'reports for %s a row that starts no bucket with those before it: %s',
  (step, ...texts) => {
    expect(faultOf(step, texts)).toBe(
      `row ${texts.length}, at: ${texts.at(-1)} does not start a bucket of ${step}, or not with the rows before it`,
    );
  },
);

it("uses the step of the parameter's value, in any spelling in the definition", () => {
  const minutes = parameter({ type: 'INT64', enum: ['01', '60'], example: '60', required: true });
  const step = { parameter: 'minutes', values: { '01': 'PT1M', '60': 'PT1H' } };
  const endpoint = {
    bucket: { column: 'at', step },
    rules: new Map([['minutes', createParameterRule(minutes, undefined)]]),
  };
  const rows = [{ at: '2026-11-20T10:01:00Z' }];
  expect(bucketFault(endpoint, { minutes: '1' }, rows)).toBeUndefined();
  expect(bucketFault(endpoint, { minutes: '60' }, rows)).toBe(
    'row 1, at: 2026-11-20T10:01:00Z does not start a bucket of PT1H, or not with the rows before it',
  );
});
