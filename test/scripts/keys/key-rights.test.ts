// Tests of the rights of a new key on typed parameters: what they become, and which would open nothing.
import { parseByteSize } from '../../../scripts/cli/options.ts';
import * as rights from '../../../scripts/keys/key-rights.ts';
import { casesBeside, expectLast } from '../../support/cases.ts';
import { loadTypedEndpoints } from '../../support/sql/typed-endpoints.ts';

const cases = casesBeside(import.meta.filename);
const catalogue = loadTypedEndpoints();

/** As options state them. */
const parseRights = (of: typeof catalogue, endpoints: string, restrictions: string[]) =>
  rights.parseRights(of, endpoints.split(','), restrictions.map(rights.parseRestriction));

it.each(cases('restrictions'))(
  'a restriction of %s',
  expectLast((endpoint: string, restriction: string) => {
    const { endpoints, parameters } = parseRights(catalogue, endpoint, [restriction]);
    expect(endpoints).toEqual([endpoint]);
    return parameters;
  }),
);

it('an endpoint that must be named is opened by its name beside *, whose restrictions it may lack', () => {
  const endpoints = catalogue.endpoints.map((one) => ({
    ...one,
    mustBeNamed: one.name !== 'types.echo',
  }));
  const ofNamed = { ...catalogue, endpoints };
  const both = '*,types.keywords';
  expect(parseRights(ofNamed, both, [])).toEqual({ endpoints: ['*', 'types.keywords'] });
  expect(parseRights(ofNamed, '*', ['int64=1']).parameters).toEqual({ int64: ['1'] });
  expect(() => parseRights(ofNamed, both, ['int64=1'])).toThrow('types.keywords has no parameter');
});

it('a group opens none of its endpoints that must be named, so it is unknown if there are no others', () => {
  const endpoints = catalogue.endpoints.map((one) => ({
    ...one,
    mustBeNamed: one.name === 'types.echo',
  }));
  const both = 'types.*,types.echo';
  const partly = { ...catalogue, endpoints };
  expect(parseRights(partly, both, [])).toEqual({ endpoints: ['types.*', 'types.echo'] });
  const closed = endpoints.map((one) => ({ ...one, mustBeNamed: true }));
  expect(() => parseRights({ ...catalogue, endpoints: closed }, 'types.*', [])).toThrow(
    'Unknown group types.*.',
  );
});

it.each(cases('bytes'))('the bytes of %s', expectLast(parseByteSize));
