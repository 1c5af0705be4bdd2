// Tells what BigQuery has, and the engine does not know, from what does not exist.
import { GoogleSqlError } from '../engine/error.ts';

/** Functions that are services of BigQuery rather than SQL, or that the engine's release is too old for. */
const FUNCTIONS = new RegExp(
  `^(?:${[
    '(?:AI|ML|OBJ)[.].+',
    'APPENDS|BAG_OF_WORDS|CHANGES|DLP_[A-Z_]+|DOUBLE|EDIT_DISTANCE|EXTERNAL_[A-Z_]+|GAP_FILL',
    'JSON_FLATTEN|KEYS[.].+|KLL_QUANTILES[.].+|RANGE_SESSIONIZE|SEARCH',
    'ST_(?:HAUSDORFFDISTANCE|HAUSDORFFDWITHIN|LINEINTERPOLATEPOINT|LINESUBSTRING|REGIONSTATS)',
    'TEXT_ANALYZE|TF_IDF|VECTOR_SEARCH',
  ].join('|')})$`,
  'i',
);

/** The error of an analysis; of the kind `unsupported` if BigQuery may well have what was not found. */
export function onlyInBigQuery(error: GoogleSqlError, sql: string): GoogleSqlError {
  const syntax = error.message.replace(
    /^Statement not supported: \w*Assignment\w*/,
    'Syntax error: Unexpected keyword SET',
  );
  if (SCRIPT.test(syntax)) {
    const message = 'Syntax error, for one SELECT runs locally and no script: ';
    return new GoogleSqlError('invalid', syntax.replace(SCRIPT, message), { cause: error });
  }
  const reason = REASONS.find(([told, text]) => told.test(error.message) && text.test(sql))?.[2];
  if (error.kind === 'invalid' && reason !== undefined) {
    return new GoogleSqlError('unsupported', `${reason}${placeOf(error)}`, { cause: error });
  }
  const found =
    /^(Connection|Function|Model|Table|Table-valued function) not found: ([\w.`$@*-]+)/.exec(
      error.message,
    );
  if (error.kind !== 'invalid' || !found) return error;
  const [, kind = '', written = ''] = found;
  const name = written.replaceAll('`', '');
  const isOfBigQuery =
    kind === 'Table'
      ? /(?:^|[.])INFORMATION_SCHEMA[.]/i.test(name)
      : kind === 'Connection' || kind === 'Model' || FUNCTIONS.test(name);
  if (!isOfBigQuery) return error;
  const message = `the ${kind.toLowerCase()} ${name} is on BigQuery alone${placeOf(error)}`;
  return new GoogleSqlError('unsupported', message, { cause: error });
}

function placeOf({ message }: GoogleSqlError): string {
  return / at \[\d+:\d+\]$/.exec(message)?.[0] ?? '';
}

/** A script, of which BigQuery runs all statements; the place is that of the first. */
const SCRIPT =
  /^Syntax error: (?=Unexpected keyword (?:BEGIN|CALL|DECLARE|FOR|IF|LOOP|REPEAT|SET|WHILE) at \[1:1\]$)/;

/** What the engine says of a text, and why the text does not run here. */
const REASONS: readonly [RegExp, RegExp, string][] = [
  [
    /^Table not found/,
    /\bCREATE\s+(?:OR\s+REPLACE\s+)?(?:TEMP|TEMPORARY)\s+TABLE\b/i,
    'it creates a temporary table, and one SELECT runs here (use WITH)',
  ],
  [/^WITH CONNECTION clause should/, /\bLANGUAGE\s+python\b/i, 'it defines a function in Python'],
  [/got: DIFFERENTIAL_PRIVACY/, /./, 'WITH DIFFERENTIAL_PRIVACY is not in the local engine'],
  [
    /^Number of arguments does not match for function JSON_SET/,
    /\bcreate_if_missing\b/i,
    'create_if_missing of JSON_SET is not in the local engine',
  ],
];
