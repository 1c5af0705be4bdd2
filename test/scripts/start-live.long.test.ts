// `npm start` follows the changes of its `sql/`: what is added, broken, mended and removed, while requests go on.
import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { FakeSqlTree, parameter, rowOf } from '../support/sql/fake-sql-tree.ts';
import {
  LOCAL_KEY,
  type LocalService,
  startLocalService,
} from '../support/service/local-service.ts';
import { TEST_SQL } from '../support/sql/test-sql.ts';
import { eventually } from '../support/until.ts';

/** How long to wait, much longer than it takes on a machine that is busy, and between two looks, in milliseconds. */
const SEEN = [60_000, 20] as const;

let tree: FakeSqlTree;
let service: LocalService;

beforeEach(async () => {
  tree = new FakeSqlTree(TEST_SQL);
  service = await startLocalService(LOCAL_KEY, ['--sql', tree.directory]);
});

/** The rows, or the reason why there are none. */
async function ask(call: string): Promise<unknown> {
  const { result, error } = await service.ask(call);
  return result ?? error?.details[0]?.reason;
}

async function untilAnswers(call: string, expected: unknown): Promise<void> {
  await eventually(async () => expect(await ask(call)).toEqual(expected), ...SEEN);
}

/** How much was printed so far. */
const printed = (): [number, number] => [service.stdout().length, service.stderr().length];

async function untilNoted(text: string, [out, err] = [0, 0]): Promise<void> {
  const noted = (): string =>
    (service.stdout().slice(out) + service.stderr().slice(err)).replaceAll(tree.directory, 'TREE');
  await eventually(() => expect(noted()).toContain(text), ...SEEN);
}

it('serves valid definitions, reports faults, and fails no request to another endpoint', async () => {
  const QUERY = 'SELECT twice(size) AS size FROM teams WHERE team = @team';
  const ROUTINE = 'CREATE TEMP FUNCTION twice(x INT64) RETURNS INT64 AS (x * 2);';
  const ROW = '{"team": "a", "size": 3}';
  const CALL = 'teams.sizes?team=a';
  const others: unknown[] = [];
  let isOver = false;
  const asking = (async () => {
    for (let number = 0; !isOver; number += 1) {
      const rows = await ask(`web.visit-counts?project=made-up-${number % 40}&interval=hourly`);
      if (!Array.isArray(rows)) others.push(rows);
      await delay(10);
    }
  })();

  // A table, a routine and an endpoint that needs both, in the wrong order.
  expect(await ask(CALL)).toBe('ENDPOINT_NOT_FOUND');
  const parameters = { team: parameter() };
  tree.endpoint({ name: 'teams.sizes', parameters, row: rowOf('size INT64') }, QUERY);
  await untilNoted('teams.sizes/query.sql');
  expect(await ask(CALL)).toBe('ENDPOINT_NOT_FOUND');
  tree.write('routines/twice.sql', ROUTINE);
  tree.source('teams', 'team STRING, size INTEGER');
  tree.write('sources/teams/sample.ndjson', ROW);
  await untilAnswers(CALL, [{ size: 6 }]);

  // Each of them is broken: the endpoint goes on as it was.
  const broken = async (file: string, bad: string, good: string, fault: string): Promise<void> => {
    const before = printed();
    tree.write(file, bad);
    await untilNoted(fault, before);
    expect(await ask(CALL)).toEqual([{ size: 6 }]);
    const broken = printed();
    tree.write(file, good);
    await untilNoted('All faults are fixed.', broken);
    expect(await ask(CALL)).toEqual([{ size: 6 }]);
  };
  const definition = tree.read('endpoints/teams.sizes/endpoint.json');
  await broken('endpoints/teams.sizes/endpoint.json', '{', definition, 'endpoint.json:1:2');
  await broken('endpoints/teams.sizes/query.sql', QUERY.replace('size)', 'sise)'), QUERY, 'sise');
  await broken('routines/twice.sql', ROUTINE.replace('x * 2', 'y * 2'), ROUTINE, 'twice.sql:1:');
  const WRONG = '{"team": "a", "size": "x"}\n{"team": "a", "sise": 1}';
  const wrong =
    ':1: size: expected INT64, found "x"\nTREE/sources/teams/sample.ndjson:2: sise: no such field\nStill serving the previous version of';
  await broken('sources/teams/sample.ndjson', WRONG, ROW, wrong);

  // Each of them is changed.
  tree.write('sources/teams/sample.ndjson', '{"team": "a", "size": 5}');
  await untilAnswers(CALL, [{ size: 10 }]);
  tree.write('routines/twice.sql', ROUTINE.replace('x * 2', 'x + x + 1'));
  await untilAnswers(CALL, [{ size: 11 }]);
  tree.write('endpoints/teams.sizes/query.sql', QUERY.replace('twice(size)', 'twice(size) + 1'));
  await untilAnswers(CALL, [{ size: 12 }]);

  // And removed.
  tree.remove('endpoints/teams.sizes');
  await untilAnswers(CALL, 'ENDPOINT_NOT_FOUND');
  tree.remove('routines/twice.sql');
  tree.remove('sources/teams');
  await untilNoted('teams: removed');

  isOver = true;
  await asking;
  expect(others).toEqual([]);
  await service.stop();
});

it('continues with files that cannot be read, and with escape codes', async () => {
  // A directory in the place of a file: what can be read is followed all the same.
  let from = printed();
  mkdirSync(join(tree.directory, 'routines/twice.sql'), { recursive: true });
  mkdirSync(join(tree.directory, 'sources/teams/schema.json'), { recursive: true });
  tree.write('endpoints/\u001b[2Jred/query.sql', 'SELECT 1');
  await untilNoted('sources/teams/schema.json: cannot be read', from);
  await untilNoted('routines/twice.sql: cannot be read', from);
  await untilNoted('endpoints/\\u001b[2Jred', from);
  tree.endpoint({ name: 'numbers.one', row: rowOf('one INT64') }, 'SELECT 1 AS one');
  await untilAnswers('numbers.one', [{ one: 1 }]);
  from = printed();
  tree.remove('routines/twice.sql');
  tree.remove('sources/teams');
  tree.remove('endpoints/\u001b[2Jred');
  await untilNoted('All faults are fixed.', from);
  expect(service.stdout() + service.stderr()).not.toContain('\u001b');
  expect(service.stderr()).not.toMatch(/^ +at /m);

  // Ctrl-C ends the service although a change is being read.
  const row = '{"timestamp": "2026-11-20T10:00:00Z"}\n';
  tree.write('sources/web_visits/sample.ndjson', row.repeat(200_000));
  tree.write('endpoints/numbers.one/query.sql', 'SELECT 2 AS one');
  expect(await service.stop()).toEqual([0, null]);
});

it('serves what it has when sql/ is moved, and asks for a restart', async () => {
  const from = printed();
  renameSync(tree.directory, `${tree.directory}.away`);
  await untilNoted('may be missed until a restart: it was removed or moved.', from);
  await untilAnswers('web.visit-counts?project=made-up&interval=hourly', []);
});
