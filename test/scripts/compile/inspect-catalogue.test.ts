// Tests of loading a `sql/` directory: which endpoints it has, and which faults stop the service at its start.
import { inspectCatalogue, loadCatalogue } from '../../../scripts/compile/inspect-catalogue.ts';
import type { Endpoint } from '../../../functions/endpoints/endpoint.ts';
import {
  FakeSqlTree,
  endpointDefinition,
  parameter,
  rowOf,
} from '../../support/sql/fake-sql-tree.ts';
import { casesBeside } from '../../support/cases.ts';
import { readExpectations } from '../../support/sql/read-expectations.ts';
import { TEST_SQL } from '../../support/sql/test-sql.ts';

const ROUTINE = (name: string, body = '1'): string =>
  `CREATE TEMP FUNCTION ${name}(x INT64) RETURNS INT64 AS (${body});`;

const FOLDER = 'endpoints/group.example';
const FILE = `${FOLDER}/endpoint.json`;
const QUERY = `${FOLDER}/query.sql`;
const WARM = `${FOLDER}/warm.sql`;

const cases = casesBeside(import.meta.filename);
const wrong = readExpectations('test/scripts/compile/wrong-definitions.txt');

const newTree = (): FakeSqlTree => new FakeSqlTree();

/** Fields of the definition, or another query. */
interface Edit extends Record<string, unknown> {
  sql?: string;
  warm?: string;
  isReversed?: boolean;
}

function faultOf(tree: FakeSqlTree): string {
  const { endpoints, faults } = inspectCatalogue(tree.directory);
  const all = [...faults, ...endpoints.flatMap((inspected) => inspected.faults)];
  if (all.length === 0) throw new Error('The tree is accepted.');
  return all.map(({ file, message }) => `${file}: ${message}`).join('\n');
}

describe('the endpoints of a directory', () => {
  const catalogue = loadCatalogue(TEST_SQL);

  it.each(cases<[what: string, idOrName: string, expected: string | null]>('names'))(
    'are found by %s: %s',
    (_name, idOrName, expected) => {
      expect(catalogue.resolve(idOrName)?.name).toBe(expected ?? undefined);
    },
  );
});

it.each(wrong.definitions ?? [])('a definition is rejected: %s', (json, fault) => {
  const { row, parameters = {}, ...fields } = JSON.parse(json) as Record<string, object | string>;
  const complete = Object.entries(parameters).map(([name, one]) => [
    name,
    parameter(one as object),
  ]);
  const ofRow = typeof row === 'string' ? { row: rowOf(row) } : row && { row };
  const tree = newTree().endpoint({
    ...fields,
    ...ofRow,
    parameters: Object.fromEntries(complete),
  });
  expect(faultOf(tree)).toContain(`${FILE}: ${fault}`);
});

it.each(wrong.parameters ?? [])('a parameter is rejected: %s', (json, fault) => {
  const a = parameter(JSON.parse(json) as object);
  expect(faultOf(newTree().endpoint({ parameters: { a } }))).toContain(
    `${FILE}: parameters.a${fault}`,
  );
});

const PARAMETERS = { a: parameter(), b: parameter(), c: parameter() };
const WARMING = { batchOver: ['c', 'a'], maxKeys: 10 };
const warmTree = (warming: unknown = WARMING, definition: Record<string, unknown> = {}) => {
  const complete = { parameters: PARAMETERS, warming, ...definition };
  return newTree().endpoint(complete, undefined, 'SELECT key, @b FROM UNNEST(@keys)');
};

it.each(
  Object.entries<FakeSqlTree>({
    [`${FILE}: name is group.other, but the folder is group.example`]: newTree()
      .endpoint()
      .write(FILE, { ...endpointDefinition(), name: 'group.other' }),
    'endpoints/Example/endpoint.json: name must be a group, a dot and a name, in lower case, such as web.visit-counts':
      newTree().endpoint({ name: 'Example' }),
    'endpoints/group.other/endpoint.json: id is already used by group.example': newTree()
      .endpoint()
      .endpoint({ name: 'group.other' }),
    [`${QUERY}: uses @b, which endpoint.json does not declare`]: newTree().endpoint(
      { parameters: { a: parameter() } },
      'SELECT @a, @b',
    ),
    [`${QUERY}: has a space or a comment after @: write the name right behind it`]:
      newTree().endpoint({ parameters: { a: parameter() } }, "SELECT @a, '@ a', @ a"),
    [`${FILE}: declares parameters.a, which query.sql does not use`]: newTree().endpoint(
      { parameters: { a: parameter() } },
      'SELECT 1 -- @a',
    ),
    [`${FILE}: declares parameters.a, which query.sql does not use: write @a without quotes, in which it is only a text`]:
      newTree().endpoint({ parameters: { a: parameter() } }, "SELECT 1 = '@a'"),
    [`${QUERY}: there is no such file; every endpoint needs it`]: newTree()
      .endpoint()
      .remove(QUERY),
    [`${FILE}: there is no such file; every endpoint needs it`]: newTree().endpoint().remove(FILE),
    'endpoints/group.bad/endpoint.json: maxRows must be at least 1': newTree()
      .endpoint()
      .endpoint({ id: endpointDefinition().id.replace('1', '2'), name: 'group.bad', maxRows: 0 }),
    [`${FILE}: not valid JSON: value expected`]: newTree().endpoint().write(FILE, ''),
    [`${FILE}: endpoint.json must be an object`]: newTree().endpoint().write(FILE, 'null'),
    [`${FILE}: warming is required, because warm.sql exists`]: warmTree(WARMING, {
      warming: undefined,
    }),
    'endpoints: contains no endpoint': newTree(),
    'endpoints: cannot be read': newTree().remove('endpoints'),
    'endpoint.schema.json: cannot be read: no such file': newTree()
      .endpoint()
      .remove('endpoint.schema.json'),
  }),
)('a directory is rejected: %s', (fault, tree) => {
  expect(faultOf(tree).replaceAll(`${tree.directory}/`, '')).toBe(fault);
});

describe('batch warming', () => {
  it('has the text of warm.sql with only the routines that it calls', () => {
    const { warming, sql } = warmTree()
      .write(WARM, `\nSELECT key, @b, f(1) FROM UNNEST(@keys)\n`)
      .write('routines/f.sql', ROUTINE('f'))
      .write('routines/g.sql', ROUTINE('g'))
      .load();
    expect(warming).toEqual({
      ...WARMING,
      sql: `${ROUTINE('f')}\n\nSELECT key, @b, f(1) FROM UNNEST(@keys)`,
    });
    expect(sql).toBe('SELECT 1, @a, @b, @c');
  });

  it.each(wrong.warming ?? [])('is rejected with %s', (warming, fault) => {
    const message = faultOf(warmTree(JSON.parse(warming)));
    expect(message).toContain(`${FILE}: `);
    expect(message).toContain(fault);
  });

  it.each(wrong['warm.sql'] ?? [])('is rejected if warm.sql is %s', (query, fault) => {
    expect(faultOf(warmTree().write(WARM, query))).toContain(`${WARM}: ${fault}`);
  });

  it.each(['key', 'KEY'])('is rejected if a column of row is called %s', (name) => {
    const row = { [name]: endpointDefinition().row.count };
    expect(faultOf(warmTree(WARMING, { row }))).toContain(
      `${FILE}: row.${name} has the name of the first column of a batch`,
    );
  });
});

it.each(cases<[what: string, text: string]>('routines'))(
  'a routine whose function %s is rejected',
  (_name, text) => {
    expect(faultOf(newTree().endpoint().write('routines/double_it.sql', text))).toContain(
      'routines/double_it.sql: does not create the function double_it',
    );
  },
);

it('routines that call each other are rejected', () => {
  const tree = newTree()
    .endpoint({}, 'SELECT f(1)')
    .write('routines/f.sql', ROUTINE('f', 'g(x)'))
    .write('routines/g.sql', ROUTINE('g', 'f(x)'));
  expect(faultOf(tree)).toContain('calls the routine f, which has a fault or calls itself');
});

describe('a directory is accepted', () => {
  it('with a README in the folder of an endpoint and above it, and without routines', () => {
    const tree = newTree()
      .endpoint()
      .write('endpoints/README.md', '# Endpoints')
      .write(`${FOLDER}/README.md`, '# An endpoint')
      .remove('routines');
    expect(tree.load()).toMatchObject({ name: 'group.example', sql: 'SELECT 1' });
  });

  it('with an empty example of an optional parameter', () => {
    const tree = newTree().endpoint({ parameters: { a: parameter({ example: '', enum: ['x'] }) } });
    expect(tree.load().parameters.a?.example).toBe('');
  });
});

describe('the SQL that is sent', () => {
  it('starts with only the routines that the query calls', () => {
    const tree = newTree()
      .endpoint({}, 'SELECT f(1), f(2)')
      .write('routines/f.sql', `${ROUTINE('f')}\n`)
      .write('routines/g.sql', ROUTINE('g'));
    expect(tree.load().sql).toBe(
      'CREATE TEMP FUNCTION f(x INT64) RETURNS INT64 AS (1);\n\nSELECT f(1), f(2)',
    );
  });

  it('has each routine once, after those that it calls itself', () => {
    const tree = newTree()
      .endpoint({}, 'SELECT a(1), c(1)')
      .write('routines/a.sql', ROUTINE('a', 'b(x) + c(x)'))
      .write('routines/b.sql', ROUTINE('b', 'c(x)'))
      .write('routines/c.sql', ROUTINE('c'));
    const order = [...tree.load().sql.matchAll(/FUNCTION (\w)/g)].map((match) => match[1]);
    expect(order).toEqual(['c', 'b', 'a']);
  });
});

describe('the result digest', () => {
  const tree = () => newTree().endpoint({}, 'SELECT f(1)').write('routines/f.sql', ROUTINE('f'));
  const digest = tree().load().resultDigest;

  it.each([
    ['a routine that it calls', tree().write('routines/f.sql', ROUTINE('f', '2'))],
    ['a quoted name', tree().endpoint({}, 'SELECT `f`(1)')],
  ])('changes with %s', (_name, changed) => {
    expect(changed.load().resultDigest).not.toBe(digest);
  });

  // Each edit of a definition is one of these; whatever is edited together, results stay exactly if all are harmless.
  const given = { type: 'STRING', required: false, description: 'A.', example: 'x' };
  const edited = (edits: Edit[]): Endpoint => {
    const start = { parameters: { a: given }, warming: { batchOver: ['a'], maxKeys: 2 } };
    const { sql, warm, isReversed, ...fields } = Object.assign({ ...start }, ...edits) as Edit;
    const inOrder = Object.entries({ ...endpointDefinition(), ...fields });
    const definition = Object.fromEntries(isReversed ? inOrder.reverse() : inOrder);
    return newTree()
      .write(FILE, definition)
      .write(QUERY, sql ?? 'SELECT 1, @a')
      .write(WARM, warm ?? 'SELECT @keys')
      .load();
  };
  const plain = edited([]);

  it.each(cases<[string, Edit]>('harmless edits'))(
    'is kept with %s, which takes effect at once',
    (_, edit) => {
      const changed = edited([edit]);
      expect(changed.resultDigest).toBe(plain.resultDigest);
      expect(changed.definitionDigest).not.toBe(plain.definitionDigest);
    },
  );

  it.each(cases<[string, Edit]>('harmful edits'))('changes with %s', (_name, edit) => {
    expect(edited([edit]).resultDigest).not.toBe(plain.resultDigest);
  });

  it('changes with the order of the values in a batch', () => {
    const both = { parameters: { a: given, b: given }, sql: 'SELECT 1, @a, @b' };
    const over = (...batchOver: string[]) =>
      edited([{ ...both, warming: { batchOver, maxKeys: 2 } }]).resultDigest;
    expect(over('a', 'b')).not.toBe(over('b', 'a'));
  });

  describe('of a query that reads a source', () => {
    const query = 'SELECT f(1) FROM `acme.analytics_1.events_2026*` JOIN orders ON TRUE';
    const shards = { prefix: 'events_', format: 'YYYYMMDD' };
    const places = {
      'analytics_1.events': { shards, requirePartitionFilter: true },
      orders: { table: 'shop.orders' },
    };
    const withTables = (tables: Record<string, object>): string => {
      const changed = tree().endpoint({}, query);
      for (const [name, definition] of Object.entries(tables)) {
        changed.write(`sources/${name}/table.json`, definition);
      }
      return changed.load().resultDigest;
    };
    const before = withTables(places);

    const EVENTS = 'analytics_1.events';

    it.each<[string, Record<string, object>]>([
      ['in another place', { orders: { table: 'shop2.orders' } }],
      ['in another project', { orders: { table: 'acme-2.shop.orders' } }],
      ['that is made here from now on', { orders: {} }],
      ['with other shards', { [EVENTS]: { shards: { ...shards, format: 'YYYYMM' } } }],
    ])('changes with a table %s', (_name, tables) => {
      expect(withTables({ ...places, ...tables })).not.toBe(before);
    });

    it.each<[string, Record<string, object>]>([
      [
        'is stored differently',
        { orders: { table: 'shop.orders', clustering: ['id'], partitioning: null } },
      ],
      ['requires no filter any more', { [EVENTS]: { requirePartitionFilter: false, shards } }],
      ['has the bare name in another dataset', { 'crm.orders': { table: 'crm.orders' } }],
      ['has another name', { customers: { table: 'shop.customers' } }],
    ])('does not change if a table %s', (_name, tables) => {
      expect(withTables({ ...places, ...tables })).toBe(before);
    });
  });

  // A changed routine of warm.sql next to entries of the old one would refresh them with other rows.
  it('changes with a routine that warm.sql calls', () => {
    const withBody = (body: string): string =>
      warmTree()
        .write(WARM, 'SELECT f(1), @b, @keys')
        .write('routines/f.sql', ROUTINE('f', body))
        .load().resultDigest;
    expect(withBody('2')).not.toBe(withBody('1'));
  });
});

it('reserves an id for the endpoint that is already served, even if another one precedes it', () => {
  const id = '11111111-2222-4333-8444-555555555555';
  const tree = newTree().endpoint({ id, name: 'group.copy' }).endpoint({ id, name: 'group.old' });
  const faultsOf = (served: string[]): [string, string[]][] =>
    inspectCatalogue(tree.directory, served).endpoints.map(({ folder, faults }) => [
      folder,
      faults.map(({ message }) => message),
    ]);
  expect(faultsOf([])).toEqual([
    ['group.copy', []],
    ['group.old', ['id is already used by group.copy']],
  ]);
  expect(faultsOf(['group.old'])).toEqual([
    ['group.copy', ['id is already used by group.old']],
    ['group.old', []],
  ]);
});
