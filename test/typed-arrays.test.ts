// Tests of parameters that are arrays of every type over HTTP: what is bound, and what is refused.
import { callsBeside, startTypedService } from './support/service/ask-typed.ts';

const { ask, expectCalls } = await startTypedService();

it.each(callsBeside(import.meta.filename))('%s', (_, calls) => expectCalls(calls));

it('an ARRAY has at most 100 values, and the query string 100 parameters more for each', async () => {
  const values = (count: number) => `types.echo?${'int64_list=1&'.repeat(count)}string=a&x=1`;
  expect(await ask(values(100))).toMatchObject({ int64_list: Array(100).fill(1) });
  expect(await ask(values(101))).toMatchObject({
    faults: [['int64_list', 'must have at most 100 values']],
  });
  expect(await ask(`types.echo?${'x=1&'.repeat(899)}`)).toMatchObject({ status: 200 });
  expect(await ask(`types.echo?${'x=1&'.repeat(900)}`)).toMatchObject({
    status: 400,
    reason: 'MALFORMED_QUERY_STRING',
  });
});
