-- JSON: extraction from JSON and from text, subscripts, conversion in both directions.

-- JSON_VALUE gives the text of a scalar, NULL for anything else
SELECT JSON_VALUE(j, '$.a'), JSON_VALUE(j, '$.b'), JSON_VALUE(j, '$.c'), JSON_VALUE(j, '$.missing'), JSON_VALUE(j, '$.d')
  FROM (SELECT JSON '{"a": "x", "b": 1.5, "c": [1], "d": null}' AS j)
--> ["x", "1.5", null, null, null]

-- JSON_QUERY gives JSON, in text for text
SELECT JSON_QUERY(JSON '{"a": [1, {"b": true}]}', '$.a[1]'), JSON_QUERY('{"a": "x", "b": [1, 2]}', '$.a'),
  JSON_QUERY('{"b": [1, 2]}', '$.b')
--> ["{\"b\":true}", "\"x\"", "[1,2]"]

-- a JSON null is a JSON value, and NULL from text
SELECT JSON_QUERY(JSON '{"a": null}', '$.a') IS NULL, JSON_QUERY('{"a": null}', '$.a') IS NULL,
  JSON 'null' IS NULL
--> ["false", "true", "false"]

-- JSON_QUERY_ARRAY and JSON_VALUE_ARRAY give arrays
SELECT JSON_QUERY_ARRAY('[1, "a", {"b": 2}]'), JSON_VALUE_ARRAY('{"l": ["x", 2]}', '$.l'), JSON_VALUE_ARRAY('[[1]]')
--> [["1", "\"a\"", "{\"b\":2}"], ["x", "2"], []]

-- a key with a dot is quoted in a path
SELECT JSON_VALUE('{"a.b": {"c d": "x"}}', '$."a.b"."c d"'), JSON_EXTRACT_SCALAR('{"a.b": "y"}', "$['a.b']")
--> ["x", "y"]

-- a field and a subscript reach into JSON
SELECT j.a.b, j['a']['b'], j.list[1], j.list[7], j.A
  FROM (SELECT JSON '{"a": {"b": "x"}, "list": [10, 20]}' AS j)
--> ["\"x\"", "\"x\"", "20", null, null]

-- TO_JSON keeps types; a STRUCT is an object
SELECT TO_JSON(STRUCT(1 AS id, [1.5, 2.5] AS list, DATE '2026-01-02' AS day, NULL AS nothing)), TO_JSON('x'), TO_JSON(TRUE)
--> ["{\"day\":\"2026-01-02\",\"id\":1,\"list\":[1.5,2.5],\"nothing\":null}", "\"x\"", "true"]

-- TO_JSON writes integers beyond 2^53 as text on request
SELECT TO_JSON(9007199254740993, stringify_wide_numbers => TRUE), TO_JSON(9007199254740991, stringify_wide_numbers => TRUE)
--> ["\"9007199254740993\"", "9007199254740991"]

-- TO_JSON_STRING keeps the order of fields, and indents
SELECT TO_JSON_STRING(STRUCT(2 AS b, 'x"y' AS a)), TO_JSON_STRING([1, 2], TRUE), TO_JSON_STRING(NULL)
--> ["{\"b\":2,\"a\":\"x\\\"y\"}", "[\n  1,\n  2\n]", "null"]

-- PARSE_JSON reads text; SAFE gives NULL for bad text
SELECT PARSE_JSON(' {"b": 1, "a": [ true ]} '), SAFE.PARSE_JSON('{"a":'), PARSE_JSON('true')
--> ["{\"a\":[true],\"b\":1}", null, "true"]

-- PARSE_JSON rounds a wide number on request
SELECT PARSE_JSON('{"id":922337203685477580701}', wide_number_mode => 'round')
--> ["{\"id\":9.223372036854776e+20}"]

-- conversion functions take a JSON scalar of their type only
SELECT INT64(JSON '10'), INT64(JSON '10.0'), FLOAT64(JSON '9.8'), BOOL(JSON 'true'), STRING(JSON '"purple"')
--> ["10", "10", "9.8", "true", "purple"]

-- LAX functions convert between types, and give NULL instead of an error
SELECT LAX_INT64(JSON '"10"'), LAX_INT64(JSON '1.1'), LAX_INT64(JSON 'true'), LAX_INT64(JSON '"x"'), LAX_BOOL(JSON '"TrUe"'),
  LAX_STRING(JSON '10'), LAX_FLOAT64(JSON '"1.5"')
--> ["10", "1", "1", null, "true", "10", "1.5"]

-- JSON_KEYS gives the paths of all keys, sorted, down to a depth
SELECT JSON_KEYS(JSON '{"b": {"c": 1}, "a": 2}'), JSON_KEYS(JSON '{"b": {"c": 1}, "a": 2}', 1)
--> [["a", "b", "b.c"], ["a", "b"]]

-- JSON_KEYS quotes a key with a dot, and looks into arrays in lax mode
SELECT JSON_KEYS(JSON '{"a.b": 1}'), JSON_KEYS(JSON '{"a": [{"b": 1}, {"c": 2}]}'),
  JSON_KEYS(JSON '{"a": [{"b": 1}, {"c": 2}]}', mode => 'lax')
--> [["\"a.b\""], ["a"], ["a", "a.b", "a.c"]]
