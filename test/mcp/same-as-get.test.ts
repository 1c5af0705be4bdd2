// Tests that a tool takes the same values as a GET: the same rows or the same refusal, over HTTP and on GoogleSQL's engine.
import fc from 'fast-check';
import { isScalarType, scalarTypeOf } from '../../functions/core/parameter-type.ts';
import { createLocalQueryRunner, startLocalBigQuery } from '../support/bigquery/local-bigquery.ts';
import { createQueryServer } from '../support/world.ts';
import { ControlledClock } from '../support/clock.ts';
import { callTool, leaveBodies } from './mcp-client.ts';
import { SPELT_VALUES } from '../support/sql/spellings.ts';
import { PARAMETER_TYPES, loadTypedEndpoints, nameOf } from '../support/sql/typed-endpoints.ts';
import { casesBeside } from '../support/cases.ts';

const cases = casesBeside(import.meta.filename);

const clock = new ControlledClock('2026-11-20T10:00:00Z');
const { url } = await startLocalBigQuery({ tables: [], clock });
const service = createQueryServer({
  ...{ mcp: 'on', catalogue: loadTypedEndpoints() },
  queryRunner: createLocalQueryRunner(url, clock),
});

// The local BigQuery, in the same process, needs its bodies.
leaveBodies(service.server);

/** The rows, or the message of the refusal. */
type Outcome = { rows: unknown } | { refused: string | undefined };

async function get(queryString: string, endpoint = 'types.echo'): Promise<Outcome> {
  const answer = await service.ask(`${endpoint}?${queryString}`);
  const { result, error } = answer.body as { result?: unknown; error?: { message: string } };
  return error === undefined ? { rows: result } : { refused: error.message };
}

/** Of arguments as JSON text. */
async function call(args: string, tool = 'types_echo'): Promise<Outcome> {
  const { structuredContent, content } = await callTool(service.server, tool, args);
  if (structuredContent !== undefined) return { rows: structuredContent.result };
  return { refused: content[0]?.text.replace(' Correct these arguments and call again.', '') };
}

it.each(PARAMETER_TYPES)(
  'a parameter of type %s gets the same rows or the same refusal by a tool and by GET',
  async (type) => {
    const name = nameOf(type);
    const [, value, spell] =
      SPELT_VALUES.find(([scalar]) => scalar === scalarTypeOf(type)) ?? SPELT_VALUES[0]!;
    /** A value as JSON writes it, and as a query string does. */
    type Written = readonly [json: string, text: string];

    const digits = fc.stringMatching(/^(?:0|[1-9]\d{0,30})$/);
    const number = fc
      .tuple(
        fc.constantFrom('', '', '-'),
        digits,
        fc.oneof(fc.constant(''), fc.stringMatching(/^\.\d{1,24}$/)),
        fc.oneof(fc.constant(''), fc.stringMatching(/^[eE][+-]?\d{1,3}$/)),
      )
      .map((parts): Written => [parts.join(''), parts.join('')]);
    const quoted = (text: fc.Arbitrary<string>): fc.Arbitrary<Written> =>
      text.map((value) => [JSON.stringify(value), value]);
    const anyText = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 6 })
      .filter((text) => text.isWellFormed());
    const bool = fc.constantFrom<Written>(['true', 'true'], ['false', 'false']);
    const ofType = quoted(value.chain(spell));
    const written = fc.oneof({ arbitrary: ofType, weight: 3 }, number, bool, quoted(anyText));
    const values = isScalarType(type)
      ? written.map((one) => [one])
      : fc.array(written, { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(values, async (given) => {
        const json = given.map(([text]) => text).join(',');
        const pairs = given.map(([, text]) => `${name}=${encodeURIComponent(text)}`);
        const args = isScalarType(type) ? json : `[${json}]`;
        expect(await call(`{"${name}":${args}}`)).toEqual(await get(pairs.join('&')));
      }),
      { numRuns: 10 },
    );
  },
);

it.each(cases<[string, string, string, unknown]>('taken'))(
  '%s is taken as it was sent',
  async (_name, name, json, value) => {
    const row = { [JSON.parse(`"${name}"`) as string]: value };
    expect(await call(`{"${name}":${json}}`)).toMatchObject({ rows: [row] });
  },
);

it('a list of more values than its parameter may have is refused as by GET', async () => {
  for (const count of [4, 101, 150]) {
    const args = `{"two_or_three":[${Array(count).fill('true').join(',')}]}`;
    const pairs = Array(count).fill('two_or_three=true').join('&');
    const refused = 'Invalid parameters: two_or_three must have at most 3 values.';
    expect(await call(args, 'types_keywords')).toEqual({ refused });
    expect(await get(pairs, 'types.keywords')).toEqual({ refused });
  }
});
