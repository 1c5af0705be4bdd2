// Tests of parameters of every type over HTTP, with the real client, engine and stores: what is bound, and what is refused.
import { SAMPLES_FIELDS, loadTypedEndpoints, nameOf } from './support/sql/typed-endpoints.ts';
import type { ParameterType, ScalarType } from '../functions/core/parameter-type.ts';
import { startService } from './support/world.ts';
import { VALUE_FAULTS } from './support/sql/spellings.ts';
import { casesBeside } from './support/cases.ts';

const cases = casesBeside(import.meta.filename);

const rows = [1, 2, 3, 4].map((id) => ({ id, date: `2026-11-0${id}` }));
const tables = [{ name: 'samples', fields: SAMPLES_FIELDS, rows }];
const catalogue = loadTypedEndpoints();
const service = await startService({ tables, catalogue });

async function ask(endpoint: string, queryString: string) {
  const answer = await service.ask(`${endpoint}?${queryString}`);
  const { result, error } = answer.body as {
    result?: Record<string, unknown>[];
    error?: {
      message: string;
      details: { reason?: string; fieldViolations?: { field: string; description: string }[] }[];
    };
  };
  const violations = error?.details.flatMap(({ fieldViolations = [] }) => fieldViolations) ?? [];
  for (const { field, description } of violations) {
    expect(error?.message).toContain(`${field} ${description}`);
  }
  return {
    status: answer.status,
    /** `hit` or `fwd=uri-miss`. */
    cache: String(answer.headers['cache-status']).split('; ')[1],
    rows: result ?? [],
    /** By parameter. */
    faults: Object.fromEntries(violations.map(({ field, description }) => [field, description])),
    reason: error?.details.find(({ reason }) => reason !== undefined)?.reason,
  };
}

/** The one value that a query with one parameter answers for it. */
async function echo(type: ParameterType, queryString: string): Promise<unknown> {
  const { status, rows, faults } = await ask('types.echo', queryString);
  expect([status, faults]).toEqual([200, {}]);
  expect(rows).toHaveLength(1);
  return rows[0]?.[nameOf(type)];
}

/** The query string that gives the values, one after the other. */
function given(name: string, values: readonly string[]): string {
  return values.map((value) => `${name}=${encodeURIComponent(value)}`).join('&');
}

type Value = string | number | boolean;
type Case = [type: ScalarType, one: string, again: string, Value, other: string, Value, no: string];
const CASES = cases<Case>('types');

describe.each(CASES)('a parameter of type %s', (...of) => {
  const [type, first, spelling, shown, other, shownOther, wrong] = of;
  const name = nameOf(type);
  const absent = type === 'STRING' ? '' : null;

  it('is bound as its value', async () => {
    expect(await echo(type, given(name, [first]))).toEqual(shown);
    expect(await echo(type, given(name, [other]))).toEqual(shownOther);
  });

  it('shares the entry of another spelling, but not of another value', async () => {
    const unlike = given('string_list', [`entries of ${type}`]);
    const ask1 = (value: string) => ask('types.echo', `${given(name, [value])}&${unlike}`);
    expect((await ask1(first)).cache).toBe('fwd=uri-miss');
    expect((await ask1(spelling)).cache).toBe('hit');
    expect((await ask1(other)).cache).toBe('fwd=uri-miss');
  });

  it('is rejected if the text is not a valid value', async () => {
    expect(await ask('types.echo', given(name, [wrong]))).toMatchObject({
      status: 400,
      reason: 'INVALID_PARAMETERS',
      faults: { [name]: VALUE_FAULTS[type] },
    });
  });

  it("is NULL, or '' for STRING, if absent or empty", async () => {
    expect(await echo(type, '')).toEqual(absent);
    expect(await echo(type, `${name}=`)).toEqual(absent);
  });

  it('is rejected if given twice, even with the same value', async () => {
    for (const again of [other, first, '']) {
      const { status, faults } = await ask('types.echo', given(name, [first, again]));
      expect([status, faults]).toEqual([400, { [name]: 'must be given once' }]);
    }
  });
});

describe.each(CASES)('a parameter of type ARRAY<%s>', (...of) => {
  const [scalar, first, spelling, shown, other, shownOther, wrong] = of;
  const type: ParameterType = `ARRAY<${scalar}>`;
  const name = nameOf(type);

  it('is bound as its values in order, including repeated ones', async () => {
    expect(await echo(type, given(name, [first]))).toEqual([shown]);
    const all = [shownOther, shown, shown, shownOther];
    expect(await echo(type, given(name, [other, first, spelling, other]))).toEqual(all);
  });

  it('shares the entry of other spellings, but not of another order or number', async () => {
    const unlike = given('string', [`entries of ${type}`]);
    const ask1 = (...values: string[]) => ask('types.echo', `${given(name, values)}&${unlike}`);
    expect((await ask1(first, other)).cache).toBe('fwd=uri-miss');
    expect((await ask1(spelling, other)).cache).toBe('hit');
    expect((await ask1(other, first)).cache).toBe('fwd=uri-miss');
    expect((await ask1(first, other, other)).cache).toBe('fwd=uri-miss');
  });

  it('is rejected for one invalid or empty value, whose position is in the message', async () => {
    expect(await ask('types.echo', given(name, [first, wrong, other]))).toMatchObject({
      status: 400,
      faults: { [name]: `value 2 ${VALUE_FAULTS[scalar]}` },
    });
    const { status, faults } = await ask('types.echo', given(name, [first, '']));
    expect([status, faults]).toEqual([400, { [name]: 'value 2 must not be empty' }]);
  });

  it('is empty if absent or empty', async () => {
    expect(await echo(type, '')).toEqual([]);
    expect(await echo(type, `${name}=`)).toEqual([]);
  });

  it('has at most 100 values, in addition to other parameters', async () => {
    const hundred = Array.from({ length: 100 }, () => first);
    expect(await echo(type, `${given(name, hundred)}&string=a&x=1`)).toHaveLength(100);
    expect(await ask('types.echo', given(name, [...hundred, first]))).toMatchObject({
      status: 400,
      faults: { [name]: 'must have at most 100 values' },
    });
  });
});

it('a query string has at most 100 parameters, plus 100 for each ARRAY of the endpoint', async () => {
  const { status, reason } = await ask('types.echo', 'x=1&'.repeat(900));
  expect([status, reason]).toEqual([400, 'MALFORMED_QUERY_STRING']);
  expect((await ask('types.echo', 'x=1&'.repeat(899))).status).toBe(200);
});

it('a comma-separated list is rejected with a hint to repeat the parameter', async () => {
  expect(await ask('types.echo', 'int64_list=1,2&string_list=a,b')).toMatchObject({
    status: 400,
    faults: {
      int64_list: expect.stringMatching(
        /^value 1 .*; repeat the parameter for each value$/,
      ) as string,
    },
  });
});

describe('the keywords of a typed parameter', () => {
  const DEFAULTS = {
    listed: null,
    replaced: null,
    rounded: null,
    listed_list: [],
    replaced_list: [],
    given: '2026-11-20T10:00:00Z',
    given_list: [7, 8],
    bounded: null,
    bounded_list: [],
    two_or_three: [],
    short: [],
  };

  it.each(cases<[string, string, object]>('accepted'))(
    'accept %s',
    async (_name, queryString, values) => {
      const { status, rows, faults } = await ask('types.keywords', queryString);
      expect([status, faults]).toEqual([200, {}]);
      expect(rows).toEqual([{ ...DEFAULTS, ...values }]);
    },
  );

  it.each(cases<[string, string, string]>('refused'))(
    'reject %s',
    async (queryString, field, fault) => {
      const { status, faults } = await ask('types.keywords', queryString);
      expect([status, faults]).toEqual([400, { [field]: fault }]);
    },
  );
});

describe('a query', () => {
  it.each(cases<[string, string, number[]]>('queries'))(
    'accepts %s',
    async (_name, queryString, ids) => {
      const { status, rows } = await ask('types.filters', queryString);
      expect([status, rows.map(({ id }) => id)]).toEqual([200, ids]);
    },
  );

  it.each([
    ['a negative LIMIT', 'n=-1'],
    ['a negative OFFSET', 'n=1&skipped=-1'],
  ])('answers 400 for %s', async (_name, queryString) => {
    const { status, reason } = await ask('types.page', queryString);
    expect([status, reason]).toEqual([400, 'INVALID_PARAMETERS']);
  });
});
