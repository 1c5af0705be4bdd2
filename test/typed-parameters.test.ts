// Tests of parameters of every type over HTTP, with the real client, engine and stores: what is bound, and what is refused.
import { SAMPLES_FIELDS, loadTypedEndpoints } from './support/sql/typed-endpoints.ts';
import { startService } from './support/world.ts';
import { tablesBeside } from './support/cases.ts';

const rows = [1, 2, 3, 4].map((id) => ({ id, date: `2026-11-0${id}` }));
const tables = [{ name: 'samples', fields: SAMPLES_FIELDS, rows }];
const service = await startService({ tables, catalogue: loadTypedEndpoints() });

interface Detail {
  reason?: string;
  fieldViolations?: { field: string; description: string }[];
}

async function ask(call: string): Promise<object> {
  const answer = await service.ask(call);
  const { result = [], error } = answer.body as {
    result?: Record<string, unknown>[];
    error?: { message: string; details: Detail[] };
  };
  const { details = [], message } = error ?? {};
  const violations = details.flatMap(({ fieldViolations = [] }) => fieldViolations);
  for (const { field, description } of violations) {
    expect(message).toContain(`${field} ${description}`);
  }
  return {
    status: answer.status,
    /** `hit` or `fwd=uri-miss`. */
    cache: String(answer.headers['cache-status']).split('; ')[1],
    faults: violations.map(({ field, description }) => [field, description]),
    reason: details.find(({ reason }) => reason !== undefined)?.reason,
    ids: result.map(({ id }) => id),
    ...result[0],
  };
}

it.each(tablesBeside<[call: string, told: object]>(import.meta.filename))(
  '%s',
  async (_, steps) => {
    for (const [call, told] of steps) {
      const status = 'faults' in told ? 400 : 200;
      expect([call, await ask(call)]).toMatchObject([call, { status, ...told }]);
    }
  },
);

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
