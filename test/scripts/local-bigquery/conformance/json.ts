// JSON: extraction from JSON and from text, subscripts, conversion in both directions.
import type { RowsCase } from './case.ts';

export const json: RowsCase[] = [
  {
    name: 'JSON_VALUE gives the text of a scalar, NULL for anything else',
    sql: `SELECT JSON_VALUE(j, '$.a'), JSON_VALUE(j, '$.b'), JSON_VALUE(j, '$.c'), JSON_VALUE(j, '$.missing'), JSON_VALUE(j, '$.d')
      FROM (SELECT JSON '{"a": "x", "b": 1.5, "c": [1], "d": null}' AS j)`,
    rows: [['x', '1.5', null, null, null]],
  },
  {
    name: 'JSON_QUERY gives JSON, in text for text',
    sql: `SELECT JSON_QUERY(JSON '{"a": [1, {"b": true}]}', '$.a[1]'), JSON_QUERY('{"a": "x", "b": [1, 2]}', '$.a'),
      JSON_QUERY('{"b": [1, 2]}', '$.b')`,
    rows: [['{"b":true}', '"x"', '[1,2]']],
  },
  {
    name: 'a JSON null is a JSON value, and NULL from text',
    sql: `SELECT JSON_QUERY(JSON '{"a": null}', '$.a') IS NULL, JSON_QUERY('{"a": null}', '$.a') IS NULL,
      JSON 'null' IS NULL`,
    rows: [['false', 'true', 'false']],
  },
  {
    name: 'JSON_QUERY_ARRAY and JSON_VALUE_ARRAY give arrays',
    sql: `SELECT JSON_QUERY_ARRAY('[1, "a", {"b": 2}]'), JSON_VALUE_ARRAY('{"l": ["x", 2]}', '$.l'), JSON_VALUE_ARRAY('[[1]]')`,
    rows: [[['1', '"a"', '{"b":2}'], ['x', '2'], []]],
  },
  {
    name: 'a key with a dot is quoted in a path',
    sql: `SELECT JSON_VALUE('{"a.b": {"c d": "x"}}', '$."a.b"."c d"'), JSON_EXTRACT_SCALAR('{"a.b": "y"}', "$['a.b']")`,
    rows: [['x', 'y']],
  },
  {
    name: 'a field and a subscript reach into JSON',
    sql: `SELECT j.a.b, j['a']['b'], j.list[1], j.list[7], j.A
      FROM (SELECT JSON '{"a": {"b": "x"}, "list": [10, 20]}' AS j)`,
    rows: [['"x"', '"x"', '20', null, null]],
  },
  {
    name: 'TO_JSON keeps types; a STRUCT is an object',
    sql: `SELECT TO_JSON(STRUCT(1 AS id, [1.5, 2.5] AS list, DATE '2026-01-02' AS day, NULL AS nothing)), TO_JSON('x'), TO_JSON(TRUE)`,
    rows: [['{"day":"2026-01-02","id":1,"list":[1.5,2.5],"nothing":null}', '"x"', 'true']],
  },
  {
    name: 'TO_JSON writes integers beyond 2^53 as text on request',
    sql: `SELECT TO_JSON(9007199254740993, stringify_wide_numbers => TRUE), TO_JSON(9007199254740991, stringify_wide_numbers => TRUE)`,
    rows: [['"9007199254740993"', '9007199254740991']],
  },
  {
    name: 'TO_JSON_STRING keeps the order of fields, and indents',
    sql: `SELECT TO_JSON_STRING(STRUCT(2 AS b, 'x"y' AS a)), TO_JSON_STRING([1, 2], TRUE), TO_JSON_STRING(NULL)`,
    rows: [['{"b":2,"a":"x\\"y"}', '[\n  1,\n  2\n]', 'null']],
  },
  {
    name: 'PARSE_JSON reads text; SAFE gives NULL for bad text',
    sql: `SELECT PARSE_JSON(' {"b": 1, "a": [ true ]} '), SAFE.PARSE_JSON('{"a":'), PARSE_JSON('true')`,
    rows: [['{"a":[true],"b":1}', null, 'true']],
  },
  {
    name: 'PARSE_JSON rounds a wide number on request',
    sql: "SELECT PARSE_JSON('{\"id\":922337203685477580701}', wide_number_mode => 'round')",
    rows: [['{"id":9.223372036854776e+20}']],
  },
  {
    name: 'conversion functions take a JSON scalar of their type only',
    sql: `SELECT INT64(JSON '10'), INT64(JSON '10.0'), FLOAT64(JSON '9.8'), BOOL(JSON 'true'), STRING(JSON '"purple"')`,
    rows: [['10', '10', '9.8', 'true', 'purple']],
  },
  {
    name: 'LAX functions convert between types, and give NULL instead of an error',
    sql: `SELECT LAX_INT64(JSON '"10"'), LAX_INT64(JSON '1.1'), LAX_INT64(JSON 'true'), LAX_INT64(JSON '"x"'), LAX_BOOL(JSON '"TrUe"'),
      LAX_STRING(JSON '10'), LAX_FLOAT64(JSON '"1.5"')`,
    rows: [['10', '1', '1', null, 'true', '10', '1.5']],
  },
  {
    name: 'JSON_TYPE names the outermost type',
    sql: `SELECT JSON_TYPE(j) FROM UNNEST([JSON '{}', JSON '[]', JSON '"a"', JSON '1', JSON 'true', JSON 'null']) AS j WITH OFFSET AS n ORDER BY n`,
    rows: [['object'], ['array'], ['string'], ['number'], ['boolean'], ['null']],
  },
  {
    name: 'JSON_KEYS gives the paths of all keys, sorted, down to a depth',
    sql: `SELECT JSON_KEYS(JSON '{"b": {"c": 1}, "a": 2}'), JSON_KEYS(JSON '{"b": {"c": 1}, "a": 2}', 1)`,
    rows: [
      [
        ['a', 'b', 'b.c'],
        ['a', 'b'],
      ],
    ],
  },
  {
    name: 'JSON_KEYS quotes a key with a dot, and looks into arrays in lax mode',
    sql: `SELECT JSON_KEYS(JSON '{"a.b": 1}'), JSON_KEYS(JSON '{"a": [{"b": 1}, {"c": 2}]}'),
      JSON_KEYS(JSON '{"a": [{"b": 1}, {"c": 2}]}', mode => 'lax')`,
    rows: [[['"a.b"'], ['a'], ['a', 'a.b', 'a.c']]],
  },
  {
    name: 'JSON_OBJECT and JSON_ARRAY build JSON',
    sql: "SELECT JSON_OBJECT('foo', 10, 'bar', TRUE), JSON_OBJECT(['a', 'b'], [1, 2]), JSON_ARRAY(10, 'x', NULL), JSON_ARRAY()",
    rows: [['{"bar":true,"foo":10}', '{"a":1,"b":2}', '[10,"x",null]', '[]']],
  },
  {
    name: 'JSON_SET, JSON_REMOVE and JSON_STRIP_NULLS change a copy',
    sql: `SELECT JSON_SET(JSON '{"a": 1}', '$.b', 2), JSON_REMOVE(JSON '{"a": 1, "b": [1, 2]}', '$.a', '$.b[0]'),
      JSON_STRIP_NULLS(JSON '{"a": null, "b": [null, 1], "c": 1}')`,
    rows: [['{"a":1,"b":2}', '{"b":[2]}', '{"b":[1],"c":1}']],
  },
  {
    name: 'JSON_ARRAY_APPEND and JSON_ARRAY_INSERT add elements',
    sql: `SELECT JSON_ARRAY_APPEND(JSON '["a"]', '$', 1), JSON_ARRAY_INSERT(JSON '["a", "b"]', '$[1]', 'c')`,
    rows: [['["a",1]', '["a","c","b"]']],
  },
];
