// Compares what the endpoints cost with what they cost at a git ref.
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Endpoint } from '../../../functions/endpoints/endpoint.ts';
import { inspectCatalogue } from '../../compile/inspect-catalogue.ts';
import type { GoogleSql } from '../../local-bigquery/index.ts';
import { type Source, inspectSources } from '../../sources/read-sources.ts';
import { checkEndpoint } from '../check-endpoint.ts';
import { type Env, commitOf, gitIn } from '../contract/check-contract.ts';
import { scanWindows } from '../scan-windows.ts';
import { gbText, usdText } from './cost-table.ts';
import { type Cost, type EndpointCost, type Prices, endpointCost } from './endpoint-cost.ts';

interface Present {
  sql: string;
  sources: readonly Source[];
  endpoints: readonly Endpoint[];
  costs: readonly EndpointCost[];
}

/** A line for each endpoint of which a call (the one that has changed most, dearer first) or a day of warming has become dearer or cheaper, or that cannot be compared. */
export async function costChanges(
  engine: GoogleSql,
  { sql, sources, endpoints, costs }: Present,
  { ref, env }: { ref: string; env: Env },
  nowMs: number,
  prices: Prices,
): Promise<string[]> {
  const directory = mkdtempSync(join(tmpdir(), 'check-against-'));
  try {
    checkOut(sql, ref, directory, env);
    const folder = join(directory, 'sources');
    const tables = existsSync(folder) ? (await inspectSources(folder)).sources : [];
    const lines: string[] = [];
    for (const inspected of inspectCatalogue(directory).endpoints) {
      const endpoint = endpoints.find(({ id }) => id === inspected.id);
      const now = costs.find(({ name }) => name === endpoint?.name);
      if (!endpoint || !now) continue;
      const folders = [join(sql, 'endpoints', endpoint.name), join(inspected.definitionFile, '..')];
      const files = ['endpoint.json', 'query.sql', 'warm.sql'].filter((file) => {
        const [text, before] = folders.map((one) => textOf(join(one, file)));
        return text !== before;
      });
      const changedTables = now.tables.filter((name) => {
        const [table, before] = [sources, tables].map((all) =>
          all.find((one) => one.name === name),
        );
        return !isDeepStrictEqual(table?.definition, before?.definition);
      });
      const isSame = inspected.endpoint?.definitionDigest === endpoint.definitionDigest;
      if (isSame && changedTables.length === 0) continue;
      const { endpoint: before, queries } = await checkEndpoint(engine, tables, inspected);
      const reads = before && (await scanWindows(engine, before, queries, nowMs)).all;
      const then = reads && (await endpointCost(engine, before, queries, { reads, nowMs }, prices));
      if (then === undefined) {
        lines.push(`not compared: ${now.name}: cannot be checked as it was at ${ref}`);
        continue;
      }
      // A routine is part of the queries that call it.
      const ofTables = changedTables.map((name) => `${name}/table.json`);
      const cause = [...files, ...ofTables].join(', ') || 'a routine';
      const calls = [...now.calls].flatMap(([query, to]) => {
        const from = then.calls.get(query);
        return from ? [changeOf(query, from, to, 'a call')] : [];
      });
      const ofCalls = [...calls, changeOf(now.name, then.call, now.call, 'a call')];
      const byUsd = ofCalls.sort((a, b) => b.usd - a.usd);
      const most = byUsd.find(({ usd }) => usd > 0) ?? byUsd.at(-1);
      const ofDay = changeOf(now.name, then.warming, now.warming, 'a day of warming');
      for (const change of [most, ofDay]) {
        if (change?.text) lines.push(`${change.text}, because of ${cause}`);
      }
    }
    return lines;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Without a text if only the last digits differ. */
function changeOf(name: string, from: Cost, to: Cost, unit: string) {
  const usd = to.usd - from.usd;
  if (Math.abs(usd) <= from.usd / 1000) return { usd: 0 };
  const [word, sign, more] = usd > 0 ? ['dearer', '+', 'more'] : ['cheaper', '', 'less'];
  const share = from.usd > 0 ? `${sign}${Math.round((usd / from.usd) * 100)} %, ` : '';
  const bytes = `${gbText(from.bytes)} to ${gbText(to.bytes)} ${unit}`;
  return { usd, text: `${word}: ${name}: ${bytes} (${share}US$${usdText(Math.abs(usd))} ${more})` };
}

function textOf(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

/** Writes `sql` as it was at the ref, with the schema of today; links become text files. */
function checkOut(sql: string, ref: string, directory: string, env: Env): void {
  const git = gitIn(sql, env);
  const tree = git('rev-parse', `${commitOf(git, ref)}:./`)
    .toString()
    .trim();
  const top = git('rev-parse', '--show-toplevel').toString().trim();
  const gitAtTop = gitIn(top, { ...env, GIT_INDEX_FILE: join(directory, 'index') });
  gitAtTop('read-tree', tree);
  gitAtTop('-c', 'core.symlinks=false', 'checkout-index', '--all', `--prefix=${directory}/`);
  copyFileSync(join(sql, 'endpoint.schema.json'), join(directory, 'endpoint.schema.json'));
}
