// Tests of `npm run openapi`, and of a typed client generated from its output.
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Validator } from '@seriousme/openapi-schema-validator';
import { main } from '../../scripts/openapi.ts';
import { columns } from '../support/sql/columns.ts';
import { type CommandResult, refusal, runCommand } from '../support/command.ts';
import { queryResult } from '../support/fakes/fake-query-runner.ts';
import { FakeSqlTree, parameter, rowOf } from '../support/sql/fake-sql-tree.ts';
import { listen } from '../support/service/listen.ts';
import { API_KEY, createQueryServer } from '../support/world.ts';
import { TEST_SQL } from '../support/sql/test-sql.ts';
import { testDirectory } from '../support/temporary-directory.ts';
import { undo } from '../support/undo.ts';

const openapi = (...args: string[]): Promise<CommandResult> =>
  runCommand(main, ['--sql', TEST_SQL, ...args]);

describe('npm run openapi', () => {
  it('prints a valid document of all endpoints', async () => {
    const { stdout } = await openapi();
    const document = JSON.parse(stdout) as { servers: unknown; paths: object };
    expect(await new Validator().validate({ ...document })).toEqual({ valid: true });
    expect(document.servers).toEqual([{ url: '/' }]);
    expect(Object.keys(document.paths)).toEqual([
      '/api/endpoints/query/tasks.run-stats',
      '/api/endpoints/query/web.visit-counts',
    ]);
  });

  it('writes the document to a file with the URL of the service', async () => {
    const file = join(testDirectory('openapi-'), 'openapi.json');
    await openapi('--out', file, '--url', 'https://queries.example.com/');
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
      servers: [{ url: 'https://queries.example.com' }],
    });
  });

  it.each(['queries', 'ftp://a.example', 'https://'])('refuses the URL "%s"', async (url) => {
    const fault = `option '--url <base>' argument '${url}' is invalid. It must be an http or https address. See --help.`;
    expect(await openapi('--url', url)).toEqual(refusal(fault, 2));
  });
});

it('a typed client generated from the document compiles in strict mode, accepts only the values of the parameter types, and gets rows', async () => {
  const ROOT = join(import.meta.dirname, '../..');
  // Inside the repository, so that the client finds its packages.
  await mkdir(join(ROOT, 'artifacts'), { recursive: true });
  const directory = await mkdtemp(join(ROOT, 'artifacts', 'client-'));
  undo(() => rm(directory, { recursive: true }));
  const run = promisify(execFile);

  function tool(name: string, ...args: string[]): Promise<unknown> {
    return run(process.execPath, [join(ROOT, 'node_modules', name), ...args], { cwd: directory });
  }

  const CLIENT = 'test/scripts/cases/openapi-client.txt';
  const PARAMETERS = {
    n: parameter({ type: 'INT64', required: true, example: '1' }),
    share: parameter({ type: 'FLOAT64', example: '0.5' }),
    price: parameter({ type: 'NUMERIC', example: '1' }),
    flag: parameter({ type: 'BOOL', example: 'true' }),
    day: parameter({ type: 'DATE', example: '2026-11-20' }),
    local: parameter({ type: 'DATETIME', example: '2026-11-20T10:00:00' }),
    at: parameter({ type: 'TIMESTAMP', example: '2026-11-20T10:00:00Z' }),
    names: parameter({ type: 'ARRAY<STRING>', minItems: 2, example: ['a', 'b'] }),
    ids: parameter({ type: 'ARRAY<INT64>', required: true, example: '1' }),
    minutes: parameter({ type: 'INT64', example: '1', enum: ['1', '60'], aliases: { hour: '60' } }),
    level: parameter({ enum: ['a', 'b'], otherwise: 'b' }),
    unit: parameter({ enum: ['a', 'b'] }),
  };
  const TSCONFIG = {
    compilerOptions: {
      target: 'es2023',
      module: 'nodenext',
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      types: ['node'],
      skipLibCheck: true,
    },
    files: ['client.ts'],
  };

  /** Compiles the client in strict mode against the types of these endpoints, and runs it; returns what it prints. */
  async function runClient(sql: string, server: Server): Promise<string> {
    const file = (name: string): string => join(directory, name);
    await runCommand(main, ['--sql', sql, '--out', file('openapi.json')]);
    await tool('openapi-typescript/bin/cli.js', 'openapi.json', '--output', 'api.d.ts');
    await copyFile(CLIENT, file('client.ts'));
    await writeFile(file('package.json'), '{"type":"module"}');
    await writeFile(file('tsconfig.json'), JSON.stringify(TSCONFIG));
    await tool('typescript-7/bin/tsc');
    const url = await listen(server);
    return (await run(process.execPath, [file('client.js'), url, API_KEY])).stdout;
  }

  const row = rowOf('at DATETIME REQUIRED, count INT64');
  const tree = new FakeSqlTree().endpoint({ name: 'group.typed', parameters: PARAMETERS, row });
  const server = createQueryServer({ catalogue: tree.catalogue() });
  server.queryRunner.answerWith(
    queryResult({
      schema: columns('at DATETIME, count INTEGER'),
      rows: [{ f: [{ v: '2026-11-20T10:00:00' }, { v: '7' }] }],
    }),
  );
  expect(await runClient(tree.directory, server.server)).toBe(
    '200 2026-11-20T10:00:00 7\n400 INVALID_ARGUMENT\n',
  );
  expect(server.queryRunner.requests[0]?.parameters).toEqual({
    n: '42',
    share: '0.5',
    price: '12.5',
    flag: 'false',
    day: '2026-11-20',
    local: '2026-11-20T10:00:00',
    at: '2026-11-20T10:00:00Z',
    names: ['a & b', 'c'],
    ids: ['1', '2'],
    minutes: '60',
    level: 'b',
    unit: '',
  });
});
