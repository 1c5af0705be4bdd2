// Values that differ from run to run: these cases ask for their shape.
import type { RowsCase } from './case.ts';

export const generatedValues: RowsCase[] = [
  {
    name: 'GENERATE_UUID has the form of a random UUID in lower case',
    sql: "SELECT REGEXP_CONTAINS(GENERATE_UUID(), r'^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$')",
    rows: [['true']],
  },
  {
    name: 'GENERATE_UUID is another one in each row',
    sql: 'SELECT COUNT(DISTINCT id) FROM (SELECT GENERATE_UUID() AS id FROM UNNEST(GENERATE_ARRAY(1, 50)))',
    rows: [['50']],
  },
  {
    name: 'two calls of GENERATE_UUID in a row differ',
    sql: 'SELECT GENERATE_UUID() = GENERATE_UUID()',
    rows: [['false']],
  },
  {
    name: 'GENERATE_UUID has 36 characters',
    sql: 'SELECT LENGTH(GENERATE_UUID()), ARRAY_LENGTH(SPLIT(GENERATE_UUID(), "-"))',
    rows: [['36', '5']],
  },
  {
    name: 'RAND is at least 0 and less than 1',
    sql: 'SELECT LOGICAL_AND(x >= 0 AND x < 1), COUNT(DISTINCT x) > 1 FROM (SELECT RAND() AS x FROM UNNEST(GENERATE_ARRAY(1, 50)))',
    rows: [['true', 'true']],
  },
  {
    name: 'the current time is the same throughout a query',
    sql: 'SELECT CURRENT_TIMESTAMP() = CURRENT_TIMESTAMP, COUNT(DISTINCT t), CURRENT_DATE() = DATE(CURRENT_TIMESTAMP()) FROM (SELECT CURRENT_TIMESTAMP() AS t FROM UNNEST([1, 2, 3]))',
    rows: [['true', '1', 'true']],
  },
  {
    name: 'SESSION_USER is an address',
    sql: "SELECT SESSION_USER() LIKE '%@%'",
    rows: [['true']],
  },
  {
    name: 'FARM_FINGERPRINT and the SHA functions give the same for the same text',
    sql: "SELECT FARM_FINGERPRINT('1footrue'), FARM_FINGERPRINT('2applefalse'), TO_HEX(SHA1('')), TO_HEX(SHA256('abc'))",
    rows: [
      [
        '-1541654101129638711',
        '2794438866806483259',
        'da39a3ee5e6b4b0d3255bfef95601890afd80709',
        'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
      ],
    ],
  },
];
