// Tests of loading a `sql/` directory: which endpoints it has, and which faults stop the service at its start.
import fc from 'fast-check';
import type { Catalogue } from '../../../functions/endpoints/catalogue.ts';
import { inspectCatalogue, loadCatalogue } from '../../../scripts/compile/inspect-catalogue.ts';
import type { ParameterDefinition } from '../../../functions/endpoints/parameter-rule.ts';
import type { Endpoint } from '../../../functions/endpoints/endpoint.ts';
import { FakeSqlTree, endpointDefinition, parameter } from '../../support/sql/fake-sql-tree.ts';
import { TEST_SQL } from '../../support/sql/test-sql.ts';

const ROUTINE = (name: string, body = '1'): string =>
  `CREATE TEMP FUNCTION ${name}(x INT64) RETURNS INT64 AS (${body});`;

const FILE = 'endpoints/group.example/endpoint.json';
const QUERY = 'endpoints/group.example/query.sql';
const WARM = 'endpoints/group.example/warm.sql';

const newTree = (): FakeSqlTree => new FakeSqlTree();

/** Fields of the definition, or another query. */
interface Edit extends Record<string, unknown> {
  sql?: string;
  warm?: string;
  isReversed?: boolean;
}

const load = (tree: FakeSqlTree): Endpoint => tree.load();

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

  it('include a routine only if they call it', () => {
    const calls = (name: string): boolean | undefined =>
      catalogue.resolve(name)?.sql.includes('CREATE TEMP FUNCTION time_bucket(');
    expect(calls('tasks.run-stats')).toBe(true);
    expect(calls('web.visit-counts')).toBe(false);
  });

  it.each([
    ['its id', STATS_ID, 'tasks.run-stats'],
    ['its id in capitals', STATS_ID.toUpperCase(), 'tasks.run-stats'],
    ['its id in mixed letters', '3F0C6D52-9b1e-4a7d-8c35-5E2f7a9d1ba7', 'tasks.run-stats'],
    ['its name', 'tasks.run-stats', 'tasks.run-stats'],
    ['its name in capitals', 'TASKS.RUN-STATS', undefined],
    ['its name in mixed letters', 'Tasks.run-stats', undefined],
    ['a part of its name', 'functions', undefined],
    ['a part of its id', '3f0c6d52', undefined],
    ['an unknown id', '3f0c6d52-9b1e-4a7d-8c35-5e2f7a9d1ba8', undefined],
    ['nothing', '', undefined],
    ['a name of every object', 'constructor', undefined],
    ['a path', '../endpoints/tasks.run-stats', undefined],
  ])('are found by %s: %s', (_name, idOrName, expected) => {
    expect(catalogue.resolve(idOrName)?.name).toBe(expected);
  });

  it('are the same endpoint by id and by name', () => {
    expect(catalogue.resolve(STATS_ID)).toBe(catalogue.resolve('tasks.run-stats'));
  });
});

describe('a definition is rejected, with file and fault:', () => {
  it.each([
    [{ sandboxed: true }, 'sandboxed must be false: query sandboxing is not supported'],
    [{ sandboxed: 'no' }, 'sandboxed must be false'],
    [{ id: undefined }, 'endpoint.json lacks the field id'],
    [{ id: '7' }, 'id must be a UUID in lower case'],
    [{ id: 'AAAAAAAA-2222-4333-8444-555555555555' }, 'id must be a UUID in lower case'],
    [{ description: '' }, 'description must not be empty'],
    [{ queryLanguage: 'postgres' }, 'queryLanguage must be "bigquery"'],
    [{ maxRows: 10_001 }, 'maxRows must be at most 10000'],
    [{ maxRows: 0 }, 'maxRows must be at least 1'],
    [{ maxRows: 1.5 }, 'maxRows must be a whole number'],
    [{ cachingSeconds: '900' }, 'cachingSeconds must be a whole number'],
    [
      { cachingSeconds: 60, cacheWarmingSeconds: 61 },
      'cacheWarmingSeconds is 61, which is more than cachingSeconds (60); 0 means that results are never warmed',
    ],
    [{ row: {} }, 'row must not be empty'],
    [
      { row: { a: { type: 'INT', mode: 'NULLABLE', description: 'A.' } } },
      'row.a.type must be one of BIGNUMERIC, BOOL, BYTES, DATE, ',
    ],
    [
      { row: { a: { type: 'INT64', mode: 'SOME', description: 'A.' } } },
      'row.a.mode must be one of REQUIRED, NULLABLE, REPEATED',
    ],
    [{ maxRow: 10 }, 'endpoint.json has the unknown field maxRow'],
    [
      { parameters: { a: { ...parameter(), unit: 'ms' } } },
      'parameters.a has the unknown field unit',
    ],
    [
      { parameters: { a: { ...parameter(), type: 'string' } } },
      'parameters.a.type must be one of STRING, INT64, FLOAT64, ',
    ],
    [
      { parameters: { a: { description: 'A.', required: true } } },
      'parameters.a lacks the field example',
    ],
    [
      { parameters: { Project: parameter() } },
      'parameters must not contain the name Project: a name has up to 64 lower-case letters, digits and _, with a letter first; key and keys',
    ],
    [
      { row: { 'a b': { type: 'INT64', mode: 'NULLABLE', description: 'A.' } } },
      'row must not contain the name a b: a name has up to 300 letters, digits and _, without a digit first',
    ],
    [{ parameters: { constructor: parameter() } }, 'constructor'],
  ])('%j', (fields, fault) => {
    const message = faultOf(newTree().endpoint(fields));
    expect(message).toContain(`${FILE}: `);
    expect(message).toContain(fault);
  });

  it.each<[Partial<ParameterDefinition>, string]>([
    [{ format: 'phone' }, '.format must be one of date, date-time, '],
    [
      { type: 'INT64', example: '1', maximum: 9_007_199_254_740_994 },
      '.maximum is beyond 2^53, where JSON numbers lose precision',
    ],
    [
      { type: 'ARRAY<STRING>', format: 're2' },
      '.format re2 in an ARRAY needs maxItems of at most 10',
    ],
    [{ pattern: '[' }, '.pattern must be a JavaScript regular expression'],
    [{ pattern: '^(?!b)' }, '.pattern has (?!, which RE2 does not support'],
    [{ otherwise: 'a' }, ' has otherwise, which needs the field enum'],
    [{ example: 'b', enum: ['a'] }, '.example must be one of a'],
    [{ default: 'b', enum: ['a'] }, '.default must be one of a'],
    [{ otherwise: 'b', enum: ['a'] }, '.otherwise must be one of a'],
    [{ example: '[', format: 're2' }, '.example is not a regular expression of RE2'],
    [{ example: '', required: true }, '.example'],
  ])('%j of a parameter', (fields, fault) => {
    const message = faultOf(newTree().endpoint({ parameters: { a: parameter(fields) } }));
    expect(message).toContain(`${FILE}: parameters.a${fault}`);
  });

  it('several faults, all at once', () => {
    const message = faultOf(newTree().endpoint({ maxRows: 0, cachingSeconds: 1, extra: 1 }));
    expect(message).toContain('maxRows must be at least 1');
    expect(message).toContain('cachingSeconds must be at least 60');
    expect(message).toContain('has the unknown field extra');
  });

  const a = { parameters: { a: parameter() } };
  const bad = { id: '11111111-2222-4333-8444-555555555556', name: 'group.bad', maxRows: 0 };

  it.each<[string, FakeSqlTree, string]>([
    [
      'a name that is not the name of the folder',
      newTree().write(FILE, { ...endpointDefinition(), name: 'group.other' }),
      `${FILE}: name is group.other, but the folder is group.example`,
    ],
    [
      'a folder with an invalid name',
      newTree().endpoint({ name: 'Example' }),
      'endpoints/Example/endpoint.json: name must be a group, a dot and a name, in lower case, such as web.visit-counts',
    ],
    [
      'an id that two endpoints have',
      newTree().endpoint().endpoint({ name: 'group.other' }),
      'endpoints/group.other/endpoint.json: id is already used by group.example',
    ],
    [
      'an undeclared parameter of the query',
      newTree().endpoint(a, 'SELECT @a, @b'),
      `${QUERY}: uses @b, which endpoint.json does not declare`,
    ],
    [
      'a declared parameter that the query names only in a comment',
      newTree().endpoint(a, 'SELECT 1 -- @a'),
      `${FILE}: declares parameters.a, which query.sql does not use`,
    ],
    [
      'no query.sql',
      newTree().endpoint().remove(QUERY),
      `${QUERY}: there is no such file; every endpoint needs it`,
    ],
    [
      'no endpoint.json',
      newTree().endpoint().remove(FILE),
      `${FILE}: there is no such file; every endpoint needs it`,
    ],
    [
      'one bad endpoint among good ones',
      newTree().endpoint().endpoint(bad),
      'endpoints/group.bad/endpoint.json: maxRows must be at least 1',
    ],
    [
      'a parameter with the name format, which belongs to the service',
      newTree().endpoint({ parameters: { format: parameter() } }),
      'parameters must not contain the name format',
    ],
    [
      'a parameter with the name since, which belongs to the service',
      newTree().endpoint({ parameters: { since: parameter() } }),
      'parameters must not contain the name since',
    ],
  ])('%s', (_name, tree, fault) => {
    expect(faultOf(tree)).toContain(fault);
  });

  it.each([
    ['broken', '{"id": }', 'not valid JSON: value expected'],
    ['empty', '', 'not valid JSON: value expected'],
    ['null', 'null', 'endpoint.json must be an object'],
    ['a list', '[]', 'endpoint.json must be an object'],
  ])('JSON that is %s', (_name, text, fault) => {
    const message = faultOf(newTree().endpoint().write(FILE, text));
    expect(message).toContain(`${FILE}: `);
    expect(message).toContain(fault);
  });
});

describe('batch warming', () => {
  const PARAMETERS = { a: parameter(), b: parameter(), c: parameter() };
  const WARMING = { batchOver: ['c', 'a'], maxKeys: 10 };
  const WARM_QUERY = 'SELECT key, @b FROM UNNEST(@keys)';

  const warmTree = (warming: unknown = WARMING, definition: Record<string, unknown> = {}) =>
    newTree()
      .endpoint({ parameters: PARAMETERS, warming, ...definition })
      .write(WARM, WARM_QUERY);

  it('is absent without warming and warm.sql', () => {
    expect(load(newTree().endpoint())).not.toHaveProperty('warming');
  });

  it('has the text of warm.sql with only the routines that it calls', () => {
    const tree = warmTree()
      .write(WARM, `\nSELECT key, @b, f(1) FROM UNNEST(@keys)\n`)
      .write('routines/f.sql', ROUTINE('f'))
      .write('routines/g.sql', ROUTINE('g'));
    const { warming, sql } = load(tree);
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

  it('is rejected without warm.sql', () => {
    expect(faultOf(warmTree().remove(WARM))).toContain(
      `${FILE}: has warming, but warm.sql is missing`,
    );
  });

  it('is rejected without the field warming', () => {
    const tree = newTree().endpoint({ parameters: PARAMETERS }).write(WARM, WARM_QUERY);
    expect(faultOf(tree)).toContain(`${FILE}: warming is required, because warm.sql exists`);
  });

  it.each([
    ['a batched parameter', 'SELECT @b, @c, @keys', 'uses @c, which is in warming.batchOver'],
    [
      'an unknown parameter',
      'SELECT @b, @d, @keys',
      'uses @d, which endpoint.json does not declare',
    ],
    ['no keys', 'SELECT @b -- @keys', 'does not use @keys'],
    ['not all other parameters', 'SELECT @keys', 'does not use @b'],
  ])('is rejected if warm.sql uses %s', (_name, query, fault) => {
    expect(faultOf(warmTree().write(WARM, query))).toContain(`${WARM}: ${fault}`);
  });

  it.each(['key', 'keys'])('reserves the name %s for warm.sql', (name) => {
    const tree = newTree().endpoint({ parameters: { [name]: parameter() } });
    expect(faultOf(tree)).toContain(`parameters must not contain the name ${name}`);
  });

  it.each(['key', 'KEY'])('is rejected if a column of row is called %s', (name) => {
    const row = { [name]: endpointDefinition().row.count };
    expect(faultOf(warmTree(WARMING, { row }))).toContain(
      `${FILE}: row.${name} has the name of the first column of warm.sql`,
    );
  });

  it('may include all parameters', () => {
    const tree = warmTree({ batchOver: ['a', 'b', 'c'], maxKeys: 1000 });
    expect(load(tree.write(WARM, 'SELECT @keys')).warming?.sql).toBe('SELECT @keys');
  });
});

describe('a directory is rejected:', () => {
  it('no endpoints', () => {
    expect(faultOf(newTree())).toMatch(/endpoints: contains no endpoint$/);
  });

  it('no endpoints folder', () => {
    expect(faultOf(newTree().remove('endpoints'))).toMatch(/endpoints: cannot be read$/);
  });

  it('no schema', () => {
    const tree = newTree().endpoint().remove('endpoint.schema.json');
    expect(faultOf(tree)).toContain('endpoint.schema.json: cannot be read');
  });

  it.each([
    ['has another name', 'CREATE TEMP FUNCTION other(x INT64) AS (x);'],
    ['has a longer name', 'CREATE TEMP FUNCTION double_it_all(x INT64) AS (x);'],
    ['is not temporary', 'CREATE FUNCTION double_it(x INT64) AS (x);'],
    ['is missing', 'SELECT 1;'],
  ])('a routine whose function %s', (_name, text) => {
    expect(faultOf(newTree().endpoint().write('routines/double_it.sql', text))).toContain(
      'routines/double_it.sql: does not create the function double_it',
    );
  });

  it('routines that call each other', () => {
    const tree = newTree()
      .endpoint({}, 'SELECT f(1)')
      .write('routines/f.sql', ROUTINE('f', 'g(x)'))
      .write('routines/g.sql', ROUTINE('g', 'f(x)'));
    expect(faultOf(tree)).toMatch(/routines\/[fg]\.sql: /);
  });
});

describe('a directory is accepted', () => {
  it('with a README in the folder of an endpoint and above it', () => {
    const tree = newTree()
      .endpoint()
      .write('endpoints/README.md', '# Endpoints')
      .write('endpoints/group.example/README.md', '# An endpoint');
    expect(load(tree).name).toBe('group.example');
  });

  it('without a folder of routines', () => {
    expect(load(newTree().endpoint().remove('routines')).sql).toBe('SELECT 1');
  });

  it('with an empty example of an optional parameter', () => {
    const tree = newTree().endpoint({ parameters: { a: parameter({ example: '', enum: ['x'] }) } });
    expect(load(tree).parameters.a?.example).toBe('');
  });
});

describe('the SQL that is sent', () => {
  it('is only the query if it calls no routine', () => {
    const tree = newTree().endpoint({}, '\nSELECT 1\n').write('routines/f.sql', ROUTINE('f'));
    expect(load(tree).sql).toBe('SELECT 1');
  });

  it('starts with only the routines that the query calls', () => {
    const tree = newTree()
      .endpoint({}, 'SELECT f(1), f(2)')
      .write('routines/f.sql', `${ROUTINE('f')}\n`)
      .write('routines/g.sql', ROUTINE('g'));
    expect(load(tree).sql).toBe(
      'CREATE TEMP FUNCTION f(x INT64) RETURNS INT64 AS (1);\n\nSELECT f(1), f(2)',
    );
  });

  it.each([
    ['a line comment', 'SELECT 1 -- f(1)'],
    ['a block comment', 'SELECT 1 /* f(1) */'],
    ['a string', `SELECT 'f(1)'`],
    ['a name that ends like it', 'SELECT my_f(1)'],
    ['a column name', 'SELECT f FROM t'],
  ])('contains no routine that is only mentioned in %s', (_name, query) => {
    const tree = newTree().endpoint({}, query).write('routines/f.sql', ROUTINE('f'));
    expect(load(tree).sql).toBe(query);
  });

  it('has each routine once, after those that it calls itself', () => {
    const tree = newTree()
      .endpoint({}, 'SELECT a(1), c(1)')
      .write('routines/a.sql', ROUTINE('a', 'b(x) + c(x)'))
      .write('routines/b.sql', ROUTINE('b', 'c(x)'))
      .write('routines/c.sql', ROUTINE('c'));
    const order = [...load(tree).sql.matchAll(/FUNCTION (\w)/g)].map((match) => match[1]);
    expect(order).toEqual(['c', 'b', 'a']);
  });
});

describe('the result digest', () => {
  const tree = (): FakeSqlTree =>
    newTree().endpoint({}, 'SELECT f(1)').write('routines/f.sql', ROUTINE('f'));
  const digest = load(tree()).resultDigest;

  it('is the same for the same files elsewhere', () => {
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    expect(load(tree()).resultDigest).toBe(digest);
  });

  it('does not change with a routine that the query does not call', () => {
    const changed = tree().write('routines/g.sql', ROUTINE('g'));
    expect(load(changed).resultDigest).toBe(digest);
  });

  it.each([
    ['a routine that it calls', tree().write('routines/f.sql', ROUTINE('f', '2'))],
    ['a quoted name', tree().endpoint({}, 'SELECT `f`(1)')],
  ])('changes with %s', (_name, changed) => {
    expect(load(changed).resultDigest).not.toBe(digest);
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
    const folder = 'endpoints/group.example';
    return load(
      newTree()
        .write(`${folder}/endpoint.json`, definition)
        .write(`${folder}/query.sql`, sql ?? 'SELECT 1, @a')
        .write(`${folder}/warm.sql`, warm ?? 'SELECT @keys'),
    );
  };
  const plain = edited([]);

  it.each(Object.entries(HARMLESS))(
    'does not change with %s, which takes effect immediately',
    (_name, edit) => {
      const changed = edited([edit]);
      expect(changed.resultDigest).toBe(plain.resultDigest);
      expect(changed.definitionDigest).not.toBe(plain.definitionDigest);
    },
  );

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
      return load(changed).resultDigest;
    };
    const before = withTables(places);

    it.each<[string, Record<string, object>]>([
      ['in another place', { ...places, orders: { table: 'shop2.orders' } }],
      ['in another project', { ...places, orders: { table: 'acme-2.shop.orders' } }],
      ['that is made here from now on', { ...places, orders: {} }],
      [
        'with other shards',
        {
          ...places,
          'analytics_1.events': { shards: { prefix: 'events_', format: 'YYYYMM' } },
        },
      ],
    ])('changes with a table %s', (_name, tables) => {
      expect(withTables(tables)).not.toBe(before);
    });

    it.each<[string, Record<string, object>]>([
      [
        'is stored differently',
        { ...places, orders: { table: 'shop.orders', clustering: ['id'], partitioning: null } },
      ],
      [
        'requires no filter any more',
        { ...places, 'analytics_1.events': { requirePartitionFilter: false, shards } },
      ],
      [
        'has the bare name in another dataset',
        { ...places, 'crm.orders': { table: 'crm.orders' } },
      ],
      ['has another name', { ...places, customers: { table: 'shop.customers' } }],
    ])('does not change if a table %s', (_name, tables) => {
      expect(withTables(tables)).toBe(before);
    });

    it('is unaffected by tables if none has a location', () => {
      const plain = load(tree().endpoint({}, query)).resultDigest;
      expect(withTables({ orders: { clustering: ['id'] } })).toBe(plain);
    });
  });

  // A changed warm.sql next to entries of the old one would refresh them with other rows.
  it('changes with warm.sql and the routines that it calls', () => {
    const warmTree = (query: string, routine = '1'): FakeSqlTree =>
      newTree()
        .endpoint({ parameters: { a: parameter() }, warming: { batchOver: ['a'], maxKeys: 1 } })
        .write('endpoints/group.example/warm.sql', query)
        .write('routines/f.sql', ROUTINE('f', routine));
    const digests = [
      warmTree('SELECT f(1), @keys'),
      warmTree('SELECT f(2), @keys'),
      warmTree('SELECT f(1), @keys', '2'),
      warmTree('SELECT f(1), @keys'),
    ].map((changed) => load(changed).resultDigest);
    expect(new Set(digests).size).toBe(3);
    expect(digests[3]).toBe(digests[0]);
  });
});

it('finds an id in any spelling among several endpoints', () => {
  const catalogue: Catalogue = loadCatalogue(
    newTree()
      .endpoint()
      .endpoint({ id: 'aaaaaaaa-2222-4333-8444-555555555555', name: 'group.other' }).directory,
  );
  expect(catalogue.resolve('AAAAAAAA-2222-4333-8444-555555555555')?.name).toBe('group.other');
  expect(catalogue.resolve('group.example')?.name).toBe('group.example');
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
