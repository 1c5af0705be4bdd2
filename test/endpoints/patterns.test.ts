// Tests of patterns over HTTP: which are compiled for which key, what they cost, and that restrictions hold.
import { RE2JS } from 're2js';
import type { Test } from 'supertest';
import { listen } from '../support/service/listen.ts';
import { API_KEY, createQueryServer, type QueryServer } from '../support/bigquery/query-server.ts';

const RESTRICTED = 'sqk_one-project';
const COUNTS = '/api/endpoints/query/web.visit-counts';
const STATS = '/api/endpoints/query/tasks.run-stats';
/** A quarter of a second each, were they compiled. */
const EXPENSIVE = Array.from({ length: 30 }, (_, index) => `(?i)[${'Ā-ꟿ'.repeat(80)}]${index}`);

let service: QueryServer;

beforeEach(async () => {
  service = createQueryServer();
  await listen(service.server);
  service.keyStore.add(RESTRICTED, { parameters: { project: ['proj-a'] } });
});

afterEach(() => void vi.restoreAllMocks());

function ask(pattern: string, key: string): Test {
  return service.get(`${COUNTS}?project=${encodeURIComponent(pattern)}&interval=daily`, key);
}

async function outcomeOf(test: Test): Promise<[number, string]> {
  const { status, body } = (await test) as {
    status: number;
    body: { error?: { details: { reason: string }[] } };
  };
  return [status, body.error?.details[0]?.reason ?? 'rows'];
}

describe('a pattern', () => {
  it('that a restricted key may not use is never compiled', async () => {
    await ask('proj-a', RESTRICTED);
    const compile = vi.spyOn(RE2JS, 'compile');
    for (const pattern of [...EXPENSIVE, 'proj-b', '(', '.*']) {
      expect(await outcomeOf(ask(pattern, RESTRICTED))).toEqual([403, 'PARAMETER_NOT_ALLOWED']);
    }
    expect(compile).not.toHaveBeenCalled();
  });

  it('that would take too long is never compiled, and the caller is told why', async () => {
    const compile = vi.spyOn(RE2JS, 'compile');
    const answer = await ask(EXPENSIVE[0] ?? '', API_KEY);
    expect(answer.body).toMatchObject({
      error: {
        code: 400,
        message:
          'Invalid parameters: project is not a regular expression that this service accepts: ' +
          'its classes hold more than 30000 characters without regard to letter case.',
      },
    });
    expect(compile).not.toHaveBeenCalled();
    expect(service.queryRunner.requests).toEqual([]);
  });

  it('that RE2 rejects is compiled only once', async () => {
    const compile = vi.spyOn(RE2JS, 'compile');
    for (const interval of ['daily', 'hourly', 'minutely', 'daily']) {
      const answer = service.get(`${COUNTS}?project=((&interval=${interval}`, API_KEY);
      expect(await outcomeOf(answer)).toEqual([400, 'INVALID_PARAMETERS']);
    }
    expect(compile).toHaveBeenCalledTimes(1);
  });

  // Compiled, the 60 of them would take 15 seconds.
  it('does not delay hits, whatever the key: 60 expensive patterns cost less than 2 s of CPU time', async () => {
    await ask('proj-a', RESTRICTED);
    await ask('proj-a', API_KEY);
    const before = process.cpuUsage();
    const refusals = EXPENSIVE.flatMap((pattern) => [
      outcomeOf(ask(pattern, RESTRICTED)),
      outcomeOf(ask(pattern, API_KEY)),
    ]);
    const hits = Array.from({ length: 20 }, () => outcomeOf(ask('proj-a', RESTRICTED)));
    expect(await Promise.all(hits)).toEqual(Array<unknown>(20).fill([200, 'rows']));
    const statuses = (await Promise.all(refusals)).map(([status]) => status);
    const { user, system } = process.cpuUsage(before);
    expect(statuses).toEqual(EXPENSIVE.flatMap(() => [403, 400]));
    expect((user + system) / 1e6).toBeLessThan(2);
  });
});

describe('a key restricted to one project', () => {
  it.each<[string, string, number]>([
    ['the project', `${COUNTS}?project=proj-a&interval=daily`, 200],
    ['the project, encoded', `${COUNTS}?project=proj%2Da&interval=daily`, 200],
    ['the project, its name encoded', `${COUNTS}?%70roject=proj-a&interval=daily`, 200],
    ['the project and an undeclared one', `${STATS}?project=proj-a&projects=proj-b`, 200],
    ['the project and a name in other letters', `${STATS}?project=proj-a&Project=proj-b`, 200],
    ['the project and a list', `${STATS}?project=proj-a&project[]=proj-b&project[0]=proj-b`, 200],
    ['another project', `${COUNTS}?project=proj-b&interval=daily`, 403],
    ['another project, its name encoded', `${COUNTS}?%70roject=proj-b&interval=daily`, 403],
    ['its project and another', `${STATS}?project=proj-a&project=proj-b`, 400],
    ['another and its project', `${STATS}?project=proj-b&project=proj-a`, 403],
    ['its project and another, encoded', `${STATS}?project=proj-a&%70roject=proj-b`, 400],
    ['another, encoded, and its project', `${STATS}?%70roject=proj-b&project=proj-a`, 403],
    ['its project twice', `${STATS}?project=proj-a&project=proj-a`, 400],
    ['nothing and its project', `${STATS}?project=&project=proj-a`, 403],
    ['its project and nothing', `${STATS}?project=proj-a&project=`, 400],
    ['no project', `${STATS}`, 403],
    ['no project of the other endpoint', `${COUNTS}?interval=daily`, 403],
    ['an empty project', `${STATS}?project=`, 403],
    ['a project without =', `${STATS}?project`, 403],
    ['a name in other letters', `${STATS}?PROJECT=proj-a`, 403],
    ['a list of one', `${STATS}?project[]=proj-a`, 403],
    ['a semicolon', `${STATS}?project=proj-a;project=proj-b`, 403],
    ['a comma', `${STATS}?project=proj-a,proj-b`, 403],
    ['a space at the end', `${STATS}?project=proj-a+`, 403],
    ['a line break at the end', `${STATS}?project=proj-a%0A`, 403],
    ['a NUL at the end', `${STATS}?project=proj-a%00`, 403],
    ['other letters', `${STATS}?project=PROJ-A`, 403],
    ['full-width letters', `${STATS}?project=%EF%BD%90roj-a`, 403],
    ['letters that are composed', `${STATS}?project=proj-a%CC%80`, 403],
    ['encoding that is encoded', `${STATS}?project=proj%252Da`, 403],
    ['a pattern around it', `${COUNTS}?project=.*proj-a&interval=daily`, 403],
    ['a pattern for it', `${COUNTS}?project=proj-[a]&interval=daily`, 403],
    ['it or everything', `${COUNTS}?project=proj-a|&interval=daily`, 403],
    ['a bad pattern', `${COUNTS}?project=proj-a(&interval=daily`, 403],
    ['its project with __proto__', `${STATS}?project=proj-a&__proto__=proj-b`, 400],
    ['another project with __proto__', `${STATS}?project=proj-b&__proto__=proj-a`, 403],
    ['__proto__ alone', `${STATS}?__proto__[project]=proj-a`, 403],
    ['constructor with it', `${STATS}?project=proj-a&constructor=x`, 400],
    ['constructor in its place', `${STATS}?constructor[project]=proj-a`, 403],
    ['an overlong project', `${STATS}?project=${'a'.repeat(5000)}`, 403],
    ['encoding that is broken', `${STATS}?project=proj-a&x=%`, 400],
    ['too many parameters', `${STATS}?project=proj-a${'&x=1'.repeat(100)}`, 400],
    ['its project after a fragment', `${STATS}?project=proj-b%23&x=?project=proj-a`, 403],
    ['its project and a bad interval', `${COUNTS}?project=proj-a&interval=x`, 400],
    ['another project and a bad interval', `${COUNTS}?project=proj-b&interval=x`, 403],
  ])('requests %s', async (_name, path, status) => {
    // What another key has asked for is in memory.
    await service.get(path, API_KEY);
    service.queryRunner.requests.length = 0;
    service.clock.advance(1_000_000);
    expect((await outcomeOf(service.get(path, RESTRICTED)))[0]).toBe(status);
    const projects = service.queryRunner.requests.map(({ parameters }) => parameters.project);
    expect(projects).toEqual(status === 200 ? ['proj-a'] : []);
  });

  it.each<[string, string, number]>([
    ['1day', 'interval=1day', 200],
    ['1day', '', 200],
    ['1day', 'interval=', 200],
    ['1day', 'interval=anything', 200],
    ['1day', 'interval=1hr', 403],
    ['1hr', 'interval=1hr', 200],
    ['1hr', '', 403],
    ['1hr', 'interval=anything', 403],
    ['anything', 'interval=anything', 403],
  ])('and to %s is checked against the canonical value of %j', async (allowed, query, status) => {
    service.keyStore.add('sqk_interval', {
      parameters: { project: ['proj-a'], interval: [allowed] },
    });
    expect(
      (await outcomeOf(service.get(`${STATS}?project=proj-a&${query}`, 'sqk_interval')))[0],
    ).toBe(status);
  });
});
