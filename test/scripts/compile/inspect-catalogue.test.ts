// Tests of loading a `sql/` directory: which endpoints it has, and which faults stop the service at its start.
import fc from 'fast-check';
import { inspectCatalogue, loadCatalogue } from '../../../scripts/compile/inspect-catalogue.ts';
import type { ParameterDefinition } from '../../../functions/endpoints/parameter-rule.ts';
import type { Endpoint } from '../../../functions/endpoints/endpoint.ts';
import {
  FakeSqlTree,
  endpointDefinition,
  parameter,
  rowOf,
} from '../../support/sql/fake-sql-tree.ts';
import { TEST_SQL } from '../../support/sql/test-sql.ts';

const ROUTINE = (name: string, body = '1'): string =>
  `CREATE TEMP FUNCTION ${name}(x INT64) RETURNS INT64 AS (${body});`;

const FOLDER = 'endpoints/group.example';
const FILE = `${FOLDER}/endpoint.json`;
const QUERY = `${FOLDER}/query.sql`;
const WARM = `${FOLDER}/warm.sql`;

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
  const STATS_ID = '3f0c6d52-9b1e-4a7d-8c35-5e2f7a9d1ba7';

  it('are listed in the order of their names', () => {
    expect(catalogue.endpoints.map(({ name }) => name)).toEqual([
      'tasks.run-stats',
      'web.visit-counts',
    ]);
  });

  it.each([
    ['its id', STATS_ID, 'tasks.run-stats'],
    ['its id in capitals', STATS_ID.toUpperCase(), 'tasks.run-stats'],
    ['its name', 'tasks.run-stats', 'tasks.run-stats'],
    ['its name in capitals', 'TASKS.RUN-STATS', undefined],
    ['a part of its id', '3f0c6d52', undefined],
    ['an unknown id', '3f0c6d52-9b1e-4a7d-8c35-5e2f7a9d1ba8', undefined],
    ['nothing', '', undefined],
    ['a name of every object', 'constructor', undefined],
    ['a path', '../endpoints/tasks.run-stats', undefined],
  ])('are found by %s: %s', (_name, idOrName, expected) => {
    expect(catalogue.resolve(idOrName)?.name).toBe(expected);
  });
});

const NAME_RULE =
  'a name has up to 64 lower-case letters, digits and _, with a letter first; key and keys';

it.each(
  Object.entries<object>({
    'sandboxed must be false: query sandboxing is not supported': { sandboxed: true },
    'endpoint.json lacks the field id': { id: undefined },
    'id must be a UUID in lower case': { id: 'AAAAAAAA-2222-4333-8444-555555555555' },
    'description must not be empty': { description: '' },
    'queryLanguage must be "bigquery"': { queryLanguage: 'postgres' },
    'maxRows must be at most 10000': { maxRows: 10_001 },
    'maxRows must be at least 1': { maxRows: 0 },
    'maxRows must be a whole number': { maxRows: 1.5 },
    'cachingSeconds must be at least 60': { cachingSeconds: 1 },
    'cachingSeconds must be a whole number': { cachingSeconds: '900' },
    'cacheWarmingSeconds is 61, which is more than cachingSeconds (60); 0 means that results are never warmed':
      { cachingSeconds: 60, cacheWarmingSeconds: 61 },
    'jobTimeoutSeconds is 61, which is more than cachingSeconds (60): the rows would be too old to be served':
      { cachingSeconds: 60, cacheWarmingSeconds: 0, jobTimeoutSeconds: 61 },
    'row must not be empty': { row: {} },
    'row.a.type must be one of BIGNUMERIC, BOOL, BYTES, DATE, ': { row: rowOf('a INT') },
    'row.a.mode must be one of REQUIRED, NULLABLE, REPEATED': { row: rowOf('a INT64 SOME') },
    'row must not contain the name a-b: a name has up to 300 letters, digits and _, without a digit first':
      { row: rowOf('a-b INT64') },
    'endpoint.json has the unknown field maxRow': { maxRow: 10 },
    'parameters.a has the unknown field unit': {
      parameters: { a: { ...parameter(), unit: 'ms' } },
    },
    'parameters.a.type must be one of STRING, INT64, FLOAT64, ': {
      parameters: { a: { ...parameter(), type: 'string' } },
    },
    'parameters.a lacks the field example': {
      parameters: { a: { description: 'A.', required: true } },
    },
    // format and since belong to the service, key and keys to warm.sql.
    ...Object.fromEntries(
      ['Project', 'format', 'since', 'key', 'keys'].map((name) => [
        `parameters must not contain the name ${name}: ${NAME_RULE}`,
        { parameters: { [name]: parameter() } },
      ]),
    ),
    constructor: { parameters: { constructor: parameter() } },
  }),
)('a definition is rejected: %s', (fault, fields) => {
  const message = faultOf(newTree().endpoint({ ...fields }));
  expect(message).toContain(`${FILE}: `);
  expect(message).toContain(fault);
});

it.each(
  Object.entries<Partial<ParameterDefinition>>({
    '.format must be one of date, date-time, ': { format: 'phone' },
    '.maximum is beyond 2^53, where JSON numbers lose precision': {
      type: 'INT64',
      example: '1',
      maximum: 9_007_199_254_740_994,
    },
    '.format re2 in an ARRAY needs maxItems of at most 10': {
      type: 'ARRAY<STRING>',
      format: 're2',
    },
    '.pattern must be a JavaScript regular expression': { pattern: '[' },
    '.pattern has (?!, which RE2 does not support': { pattern: '^(?!b)' },
    ' has otherwise, which needs the field enum': { otherwise: 'a' },
    '.maximum is not allowed with type STRING': { maximum: 5 },
    '.aliases "c" stands for "d", which is not in enum': { enum: ['a'], aliases: { c: 'd' } },
    '.default must be a day of the calendar (DATE), such as 2026-11-20': {
      type: 'DATE',
      example: '2026-11-20',
      default: '2026-02-30',
    },
    '.example must be one of a': { example: 'b', enum: ['a'] },
    '.default must be one of a': { default: 'b', enum: ['a'] },
    '.otherwise must be one of a': { otherwise: 'b', enum: ['a'] },
    '.example is not a regular expression of RE2': { example: '[', format: 're2' },
    '.example': { example: '', required: true },
  }),
)('a parameter is rejected: %s', (fault, fields) => {
  const message = faultOf(newTree().endpoint({ parameters: { a: parameter(fields) } }));
  expect(message).toContain(`${FILE}: parameters.a${fault}`);
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
    [`${FILE}: has warming, but warm.sql is missing`]: warmTree().remove(WARM),
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
  it('is absent without warming and warm.sql', () => {
    expect(newTree().endpoint().load()).not.toHaveProperty('warming');
  });

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

  it.each([
    [{ batchOver: [], maxKeys: 1 }, 'warming.batchOver must not be empty'],
    [{ batchOver: ['a', 'a'], maxKeys: 1 }, 'warming.batchOver contains the same value twice'],
    [{ batchOver: ['a'] }, 'warming lacks the field maxKeys'],
    [{ batchOver: ['a'], maxKeys: 0 }, 'warming.maxKeys must be at least 1'],
    [{ batchOver: ['a'], maxKeys: 1001 }, 'warming.maxKeys must be at most 1000'],
    [{ batchOver: ['a'], maxKeys: 1.5 }, 'warming.maxKeys must be a whole number'],
    [{ ...WARMING, sql: 'x' }, 'warming has the unknown field sql'],
    [{ batchOver: ['d'], maxKeys: 1 }, 'batchOver names d, which'],
    [{ batchOver: ['toString'], maxKeys: 1 }, 'names toString, which'],
  ])('is rejected with %j', (warming, fault) => {
    const message = faultOf(warmTree(warming));
    expect(message).toContain(`${FILE}: `);
    expect(message).toContain(fault);
  });

  it.each([
    ['SELECT @b, @c, @keys', 'uses @c, which is in warming.batchOver'],
    ['SELECT @b, @d, @keys', 'uses @d, which endpoint.json does not declare'],
    ['SELECT @b -- @keys', 'does not use @keys'],
    ['SELECT @keys', 'does not use @b'],
  ])('is rejected if warm.sql is %s', (query, fault) => {
    expect(faultOf(warmTree().write(WARM, query))).toContain(`${WARM}: ${fault}`);
  });

  it.each(['key', 'KEY'])('is rejected if a column of row is called %s', (name) => {
    const row = { [name]: endpointDefinition().row.count };
    expect(faultOf(warmTree(WARMING, { row }))).toContain(
      `${FILE}: row.${name} has the name of the first column of warm.sql`,
    );
  });

  it('may include all parameters', () => {
    const tree = warmTree({ batchOver: ['a', 'b', 'c'], maxKeys: 1000 });
    expect(tree.write(WARM, 'SELECT @keys').load().warming?.sql).toBe('SELECT @keys');
  });
});

it.each([
  ['has another name', 'CREATE TEMP FUNCTION other(x INT64) AS (x);'],
  ['has a longer name', 'CREATE TEMP FUNCTION double_it_all(x INT64) AS (x);'],
  ['is not temporary', 'CREATE FUNCTION double_it(x INT64) AS (x);'],
  ['is missing', 'SELECT 1;'],
])('a routine whose function %s is rejected', (_name, text) => {
  expect(faultOf(newTree().endpoint().write('routines/double_it.sql', text))).toContain(
    'routines/double_it.sql: does not create the function double_it',
  );
});

it('routines that call each other are rejected', () => {
  const tree = newTree()
    .endpoint({}, 'SELECT f(1)')
    .write('routines/f.sql', ROUTINE('f', 'g(x)'))
    .write('routines/g.sql', ROUTINE('g', 'f(x)'));
  expect(faultOf(tree)).toMatch(/routines\/[fg]\.sql: /);
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

  it('is the same for the same files elsewhere', () => {
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    expect(tree().load().resultDigest).toBe(digest);
  });

  it('does not change with a routine that the query does not call', () => {
    expect(tree().write('routines/g.sql', ROUTINE('g')).load().resultDigest).toBe(digest);
  });

  it.each([
    ['a routine that it calls', tree().write('routines/f.sql', ROUTINE('f', '2'))],
    ['a quoted name', tree().endpoint({}, 'SELECT `f`(1)')],
  ])('changes with %s', (_name, changed) => {
    expect(changed.load().resultDigest).not.toBe(digest);
  });

  // Each edit of a definition is one of these; whatever is edited together, results stay exactly if all are harmless.
  const given = { type: 'STRING', required: false, description: 'A.', example: 'x' };
  const ROW = endpointDefinition().row;
  const [name = '', column = {}] = Object.entries(ROW)[0] ?? [];
  const HARMLESS: Record<string, Edit> = {
    'a description': { description: 'Another.' },
    'a description of a column': { row: { ...ROW, [name]: { ...column, description: 'New.' } } },
    'a unit': { row: { ...ROW, [name]: { ...column, unit: 'ms' } } },
    'a description of a parameter': { parameters: { a: { ...given, description: 'B.' } } },
    'an example': { parameters: { a: { ...given, example: 'y' } } },
    'a default': { parameters: { a: { ...given, default: 'z' } } },
    'a pattern': { parameters: { a: { ...given, pattern: '^[a-z]$' } } },
    'a parameter that is required': { parameters: { a: { ...given, required: true } } },
    cachingSeconds: { cachingSeconds: 600 },
    cacheWarmingSeconds: { cacheWarmingSeconds: 150 },
    jobTimeoutSeconds: { jobTimeoutSeconds: 60 },
    maxBytesBilled: { maxBytesBilled: 10_485_760 },
    'more keys in a batch': { warming: { batchOver: ['a'], maxKeys: 7 } },
    'the order of fields': { isReversed: true },
    'a comment': { sql: 'SELECT -- why\n 1, @a' },
    'the layout': { sql: '\n\tSELECT 1,\n  @a /* the\n parameter */\n' },
    'a comment in warm.sql': { warm: 'SELECT @keys # all' },
  };
  const HARMFUL: Record<string, Edit> = {
    'a literal': { sql: 'SELECT 2, @a' },
    'white space in a literal': { sql: "SELECT 1, @a, ' '" },
    'a call': { sql: 'SELECT 1, UPPER(@a)' },
    'the type of a parameter': { parameters: { a: { ...given, type: 'INT64', example: '1' } } },
    'an array': { parameters: { a: { ...given, type: 'ARRAY<STRING>', example: ['x'] } } },
    'the name of a column': { row: { renamed: column } },
    'the type of a column': { row: { ...ROW, [name]: { ...column, type: 'FLOAT64' } } },
    'the mode of a column': { row: { ...ROW, [name]: { ...column, mode: 'REPEATED' } } },
    'a further column': { row: { ...ROW, last: column } },
    'the order of columns': { row: { first: column, ...ROW } },
    maxRows: { maxRows: 7 },
    'warm.sql': { warm: 'SELECT @keys, 1' },
  };
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

  it.each(Object.entries(HARMLESS))('is kept with %s, which takes effect at once', (_, edit) => {
    const changed = edited([edit]);
    expect(changed.resultDigest).toBe(plain.resultDigest);
    expect(changed.definitionDigest).not.toBe(plain.definitionDigest);
  });

  it.each(Object.entries(HARMFUL))('changes with %s', (_name, edit) => {
    expect(edited([edit]).resultDigest).not.toBe(plain.resultDigest);
  });

  it('changes with the order of the values in a batch', () => {
    const both = { parameters: { a: given, b: given }, sql: 'SELECT 1, @a, @b' };
    const over = (...batchOver: string[]) =>
      edited([{ ...both, warming: { batchOver, maxKeys: 2 } }]).resultDigest;
    expect(over('a', 'b')).not.toBe(over('b', 'a'));
  });

  it('changes exactly if one edit affects results, whatever other edits there are', () => {
    const harmless = fc.subarray(Object.values(HARMLESS));
    const harmful = fc.option(fc.constantFrom(...Object.values(HARMFUL)));
    fc.assert(
      fc.property(harmless, harmful, (edits, last) => {
        const { resultDigest } = edited([...edits, ...(last === null ? [] : [last])]);
        expect(resultDigest === plain.resultDigest).toBe(last === null);
      }),
      { numRuns: 100 },
    );
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

    it('is unaffected by tables if none has a location', () => {
      const plain = tree().endpoint({}, query).load().resultDigest;
      expect(withTables({ orders: { clustering: ['id'] } })).toBe(plain);
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
