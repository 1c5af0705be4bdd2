// Reads log records from files, one JSON object per line, as `bq extract` writes them.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { errorMessage } from '../../../functions/core/describe-error.ts';
import { errorCode } from '../../../functions/core/error-code.ts';
import type { LocalTable } from '../bigquery/server.ts';
import type { Table } from '../googlesql/engine-catalogue.ts';
import { InvalidValueError } from '../googlesql/engine-values.ts';
import { encodeRow } from '../googlesql/row-values.ts';

/** `message` is one line that names the file and, if known, the line: `edge_logs.ndjson:12: …`. */
export class LogFilesError extends Error {}

/**
 * Reads `<directory>/<source>.ndjson` for every source. Every row is checked against its schema;
 * empty lines are skipped. Throws `LogFilesError`.
 */
export async function readLogFiles(
  directory: string,
  sources: readonly Table[],
): Promise<LocalTable[]> {
  const found = await stat(directory).catch(() => undefined);
  if (found === undefined) throw new LogFilesError(`${directory}: no such directory`);
  if (!found.isDirectory()) throw new LogFilesError(`${directory}: not a directory`);
  const tables: LocalTable[] = [];
  for (const source of sources) {
    tables.push({ ...source, rows: await readRows(directory, `${source.name}.ndjson`, source) });
  }
  return tables;
}

async function readRows(directory: string, name: string, { fields }: Table): Promise<object[]> {
  const input = createReadStream(join(directory, name));
  const rows: object[] = [];
  let line = 0;
  try {
    for await (const text of createInterface({ input, crlfDelay: Infinity })) {
      line++;
      const json = line === 1 ? text.replace(/^\uFEFF/, '') : text;
      if (json.trim() === '') continue;
      const row = JSON.parse(json) as object;
      encodeRow(row, fields);
      rows.push(row);
    }
  } catch (err) {
    throw new LogFilesError(`${name}${described(err, line, directory)}`, { cause: err });
  } finally {
    input.destroy();
  }
  return rows;
}

function described(err: unknown, line: number, directory: string): string {
  if (err instanceof SyntaxError) return `:${line}: not valid JSON: ${err.message}`;
  if (err instanceof InvalidValueError) return `:${line}: ${err.message}`;
  const code = errorCode(err);
  if (code === 'ENOENT') return `: no such file in ${directory}`;
  if (code === 'EISDIR') return ': is a directory, not a file';
  return `: ${errorMessage(err)}`;
}
