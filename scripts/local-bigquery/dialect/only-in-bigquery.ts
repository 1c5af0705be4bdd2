// Tells what BigQuery has, and the engine does not know, from what does not exist.
import { GoogleSqlError } from '../engine/error.ts';

/** Functions that are services of BigQuery rather than SQL, or that the engine's release is too old for. */
const FUNCTIONS = new RegExp(
  `^(?:(?:AI|ML|OBJ)[.].+|${[
    'APPENDS',
    'BAG_OF_WORDS',
    'CHANGES',
    'DLP_[A-Z_]+',
    'EXTERNAL_[A-Z_]+',
    'GAP_FILL',
    'RANGE_SESSIONIZE',
    'SEARCH',
    'TEXT_ANALYZE',
    'TF_IDF',
    'VECTOR_SEARCH',
  ].join('|')})$`,
  'i',
);

/** The error of an analysis; of the kind `unsupported` if BigQuery may well have what was not found. */
export function onlyInBigQuery(error: GoogleSqlError): GoogleSqlError {
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
  const place = / at \[\d+:\d+\]$/.exec(error.message)?.[0] ?? '';
  const message = `the ${kind.toLowerCase()} ${name} is on BigQuery alone${place}`;
  return new GoogleSqlError('unsupported', message, { cause: error });
}
