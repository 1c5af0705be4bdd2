// Writes a temporary `sql/` folder: the real schema, one valid endpoint, and the changes of the test; or a copy.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Catalogue } from '../../../functions/endpoints/catalogue.ts';
import type {
  ColumnDefinition,
  Endpoint,
  EndpointDefinition,
} from '../../../functions/endpoints/endpoint.ts';
import type { ParameterDefinition } from '../../../functions/endpoints/parameter-rule.ts';
import { loadCatalogue } from '../../../scripts/compile/inspect-catalogue.ts';
import { columns } from './columns.ts';
import { testDirectory } from '../temporary-directory.ts';

export class FakeSqlTree {
  readonly directory = testDirectory('sql-');
  readonly #names = new Set<unknown>();

  /** Of the service's schema alone, or a copy of another folder. */
  constructor(original?: string) {
    if (original !== undefined) {
      cpSync(original, this.directory, { recursive: true, dereference: true });
      return;
    }
    cpSync(
      join(import.meta.dirname, '../../../sql/endpoint.schema.json'),
      join(this.directory, 'endpoint.schema.json'),
    );
    for (const folder of ['endpoints', 'routines']) mkdirSync(join(this.directory, folder));
  }

  read(path: string): string {
    return readFileSync(join(this.directory, path), 'utf8');
  }

  /** Fails where the file does not hold what is replaced. */
  replace(path: string, from: string | RegExp, to: string): this {
    const text = this.read(path);
    const changed = text.replace(from, to);
    if (changed === text) throw new Error(`${path} does not hold ${String(from)}`);
    return this.write(path, changed);
  }

  /** Writes text unchanged, any other value as JSON; the path is relative to the tree. */
  write(path: string, content: unknown): this {
    const file = join(this.directory, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    return this;
  }

  /** Adds a table: its columns in the short form of `columns`, and its table.json where there is one. */
  source(name: string, list: string, definition?: object): this {
    this.write(`sources/${name}/schema.json`, columns(list));
    return definition ? this.write(`sources/${name}/table.json`, definition) : this;
  }

  /**
   * Adds an endpoint: the fields replace those of `endpointDefinition()`, whose row is `count INT64 REQUIRED`. By default it has an id
   * of its own and no warm.sql, and its query uses each parameter. That query cannot run, because its columns are not those of the row.
   */
  endpoint(definition: Record<string, unknown> = {}, query?: string, warm?: string): this {
    const complete = { ...endpointDefinition(), id: this.#idOf(definition.name), ...definition };
    const used = Object.keys(complete.parameters as object).map((name) => `@${name}`);
    const folder = `endpoints/${String(complete.name)}`;
    this.write(`${folder}/endpoint.json`, complete);
    if (warm !== undefined) this.write(`${folder}/warm.sql`, warm);
    return this.write(`${folder}/query.sql`, query ?? `SELECT ${['1', ...used].join(', ')}`);
  }

  #idOf(name: unknown): string {
    this.#names.add(name);
    return `11111111-2222-4333-8444-${555_555_555_555 + [...this.#names].indexOf(name)}`;
  }

  /** Gives the endpoint `group.example` one test, `a` unless it has another name. */
  test(fields: object): this {
    return this.write('endpoints/group.example/tests/a.json', [{ name: 'a', ...fields }]);
  }

  catalogue(): Catalogue {
    return loadCatalogue(this.directory);
  }

  /** The one endpoint. */
  load(): Endpoint {
    const { endpoints } = this.catalogue();
    expect(endpoints).toHaveLength(1);
    return endpoints[0] as Endpoint;
  }

  remove(path = ''): this {
    rmSync(join(this.directory, path), { recursive: true });
    return this;
  }
}

/** An endpoint with these parameters. */
export function endpointWith(fields: Record<string, Partial<ParameterDefinition>>): Endpoint {
  const parameters = Object.entries(fields).map(([name, of]) => [name, parameter(of)] as const);
  return new FakeSqlTree().endpoint({ parameters: Object.fromEntries(parameters) }).load();
}

/** A definition that loads; without parameters. */
export function endpointDefinition(): EndpointDefinition {
  return {
    id: '11111111-2222-4333-8444-555555555555',
    name: 'group.example',
    description: 'An example.',
    queryLanguage: 'bigquery',
    maxRows: 1000,
    cachingSeconds: 900,
    cacheWarmingSeconds: 300,
    sandboxed: false,
    parameters: {},
    row: { count: { type: 'INT64', mode: 'REQUIRED', description: 'A number.' } },
  };
}

/** The columns of an endpoint, in the short form of `columns`; NULLABLE unless they say another mode. */
export function rowOf(list: string): Record<string, ColumnDefinition> {
  const row = columns(list).map(({ name, type, mode = 'NULLABLE' }) => [
    name,
    { type, mode, description: 'A column.' },
  ]);
  return Object.fromEntries(row) as Record<string, ColumnDefinition>;
}

/** The same as a list, as the console has them. */
export const namedColumns = (list: string) =>
  Object.entries(rowOf(list)).map(([name, column]) => ({ name, ...column }));

/** An optional parameter without any restriction. */
export function parameter(fields: Partial<ParameterDefinition> = {}): ParameterDefinition {
  return { description: 'A parameter.', required: false, example: 'a', ...fields };
}
