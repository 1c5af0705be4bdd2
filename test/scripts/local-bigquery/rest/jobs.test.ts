// Tests of the jobs of the local BigQuery: life cycle, errors, cancellation and dry runs.
import { defaultDataset, failureOf, testBigQuery } from './local-bigquery.ts';
import { casesBeside } from '../../../support/cases.ts';
import { columns } from '../../../support/sql/columns.ts';
import { readExpectations } from '../../../support/sql/read-expectations.ts';

const cases = casesBeside(import.meta.filename);
const fields = columns('n INTEGER NULLABLE, pattern STRING NULLABLE');
const rows = Array.from({ length: 25 }, (_, n) => ({ n, pattern: '(' }));
const events = Array.from({ length: 1000 }, (_, id) => ({ id }));

/** Jobs wait for this; open unless a test closes it. */
let gate: Promise<void> = Promise.resolve();
const bigquery = await testBigQuery({
  tables: [
    { name: 'numbers', fields, rows },
    { name: 'events', fields: columns('id INTEGER'), rows: events },
  ],
  beforeRun: () => gate,
  queryMs: ({ endpoint }) => (endpoint === 'slow' ? 60_000 : 0),
});

function closeGate(): () => void {
  const opened = Promise.withResolvers<void>();
  gate = opened.promise;
  return opened.resolve;
}

async function post(path: string, body: unknown) {
  const response = await fetch(`${bigquery.url}/bigquery/v2/projects/test-project/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as unknown };
}

const { requests = [] } = readExpectations('test/scripts/local-bigquery/rest/bad-requests.txt');
const OPTIONAL = { jobCreationMode: 'JOB_CREATION_OPTIONAL' } as const;
const JAVASCRIPT = "CREATE TEMP FUNCTION f() RETURNS INT64 LANGUAGE js AS 'return 1';";
const STRINGS = { type: 'ARRAY', arrayType: { type: 'STRING' } };

it.each([[undefined], [{}]])('binds an ARRAY with the value %j as NULL', async (value) => {
  const answer = await post('queries', {
    query: 'SELECT ARRAY_LENGTH(@a)',
    useLegacySql: false,
    queryParameters: [{ name: 'a', parameterType: STRINGS, parameterValue: value }],
  });
  expect(answer).toMatchObject({ status: 200, body: { rows: [{ f: [{ v: null }] }] } });
});

describe('errors', () => {
  it.each(cases<[query: string, failure: string]>('errors'))(
    'match BigQuery for %s',
    async (query, failure) => {
      expect(await failureOf(bigquery.raw(query))).toBe(failure);
    },
  );

  it('do not include an unsupported function in a dry run', async () => {
    const { query } = await bigquery.dryRun(`${JAVASCRIPT} SELECT f() AS n`);
    expect(query).toMatchObject({ schema: { fields: [{ name: 'n', type: 'INTEGER' }] } });
    const dml = await bigquery.dryRun('DELETE FROM numbers WHERE TRUE');
    expect(dml.query).toMatchObject({ statementType: 'DELETE' });
  });

  it('report a value that does not match the type of its parameter', async () => {
    const query = { query: 'SELECT @n', params: { n: 'many' }, types: { n: 'INT64' } };
    expect(await failureOf(bigquery.client.query(query))).toBe(
      `400 invalid: Invalid query parameter 'n': expected INT64, found "many"`,
    );
  });

  it('have the format of the REST API', async () => {
    const message = 'Unrecognized name: x at [1:8]';
    const place = { location: 'q', locationType: 'parameter' };
    const errors = [{ message, domain: 'global', reason: 'invalidQuery', ...place }];
    expect(await post('queries', { query: 'SELECT x', useLegacySql: false })).toEqual({
      status: 400,
      body: { error: { code: 400, message, errors, status: 'INVALID_ARGUMENT' } },
    });
  });

  it.each(requests)('are 400 for %s', async (_, request) => {
    const [, path = '', body] = /^(\w+) (.*)$/.exec(request) ?? [];
    expect(await post(path, body)).toMatchObject({ status: 400, body: { error: { code: 400 } } });
  });

  it.each(cases<string>('unknown paths'))('are 4xx for GET %s', async (path) => {
    const { status } = await fetch(bigquery.url + path);
    expect([400, 404]).toContain(status);
  });
});

describe('jobs', () => {
  it('run in the background and can be found until they are done', async () => {
    const open = closeGate();
    const [job] = await bigquery.client.createQueryJob({ query: 'SELECT 1 AS one' });
    expect(job.metadata).toMatchObject({ status: { state: 'RUNNING' } });
    expect((await job.getMetadata())[0]).toMatchObject({ status: { state: 'RUNNING' } });
    open();
    const [found, , response] = await job.getQueryResults({ skipParsing: true });
    expect(found).toEqual([{ f: [{ v: '1' }] }]);
    expect(response).toMatchObject({ jobComplete: true, totalRows: '1', cacheHit: false });
    // Only jobs.query tells the price.
    expect(response).not.toHaveProperty('totalBytesBilled');
    expect((await job.getMetadata())[0]).toMatchObject({
      kind: 'bigquery#job',
      jobReference: { projectId: 'test-project', jobId: job.id, location: 'US' },
      status: { state: 'DONE' },
      statistics: { query: { statementType: 'SELECT' } },
    });
  });

  it('report that they are incomplete at the end of the wait', async () => {
    const open = closeGate();
    const [job] = await bigquery.client.createQueryJob('SELECT 1');
    await expect(job.getQueryResults({ timeoutMs: 20 })).rejects.toThrow(
      'did not complete before 20ms',
    );
    const request = { query: 'SELECT 1', useLegacySql: false, timeoutMs: 20 };
    const body = { jobComplete: false, jobReference: { location: 'US' } };
    expect(await post('queries', request)).toMatchObject({ status: 200, body });
    open();
    expect((await job.getQueryResults())[0]).toEqual([{ f0_: 1 }]);
  });

  it('have unique ids', async () => {
    const insert = () => bigquery.client.createQueryJob({ query: 'SELECT 1', jobId: 'same' });
    const inserted = await Promise.all([failureOf(insert()), failureOf(insert())]);
    const duplicate = '409 duplicate: Already Exists: Job test-project:US.same';
    expect(inserted.sort()).toEqual([duplicate, 'none']);
  });

  it('are rejected on insertion if the query is invalid', async () => {
    const inserted = bigquery.client.createQueryJob({ query: 'SELECT x', jobId: 'bad' });
    expect(await failureOf(inserted)).toContain('400 invalidQuery');
    expect(await failureOf(bigquery.client.job('bad').getMetadata())).toBe(
      '404 notFound: Not found: Job test-project:bad',
    );
  });

  it('that fail while running are done, with an error', async () => {
    const query = 'SELECT REGEXP_CONTAINS("a", pattern) FROM numbers';
    const [job] = await bigquery.client.createQueryJob({ query, defaultDataset });
    const message = 'Cannot parse regular expression: missing ): (';
    expect(await failureOf(job.getQueryResults())).toBe(`400 invalidQuery: ${message}`);
    const error = { reason: 'invalidQuery', location: 'query', message };
    expect((await job.getMetadata())[0]).toMatchObject({
      status: { state: 'DONE', errorResult: error, errors: [error] },
    });
  });

  it('stop when cancelled', async () => {
    const open = closeGate();
    const [job] = await bigquery.client.createQueryJob('SELECT 1');
    expect((await job.cancel())[0]).toMatchObject({
      kind: 'bigquery#jobCancelResponse',
      job: { status: { state: 'DONE' } },
    });
    expect(await failureOf(job.getQueryResults())).toContain(
      'stopped: Job execution was cancelled: User requested cancellation',
    );
    open();
    expect((await job.getMetadata())[0]).toMatchObject({
      status: { errorResult: { reason: 'stopped' } },
    });
  });

  it('end early if they are slow by request, when cancelled and at jobTimeoutMs', async () => {
    const slow = { query: 'SELECT COUNT(*) FROM events', labels: { endpoint: 'slow' } };
    const [job] = await bigquery.client.createQueryJob({ ...slow, defaultDataset });
    await job.cancel();
    expect(await failureOf(job.getQueryResults())).toContain('User requested cancellation');
    const limited = { ...slow, defaultDataset, jobTimeoutMs: '20' };
    expect(await post('queries', { ...limited, ...OPTIONAL, useLegacySql: false })).toMatchObject({
      status: 499,
      body: { error: { message: 'Job execution was cancelled: Job timed out after 0.02s' } },
    });
  });

  it.each(cases<[query: string, failure: string]>('timeouts'))(
    'stop at jobTimeoutMs, with the remedy for a query of many rows: %s',
    async (query, failure) => {
      const open = closeGate();
      const [job] = await bigquery.client.createQueryJob({
        query,
        defaultDataset,
        jobTimeoutMs: 20,
      });
      expect(await failureOf(job.getQueryResults())).toContain(failure);
      open();
    },
  );

  it('belong to one location', async () => {
    gate = Promise.resolve();
    const [job] = await bigquery.client.createQueryJob({ query: 'SELECT 1', location: 'EU' });
    expect(job.location).toBe('EU');
    await job.getQueryResults();
    const elsewhere = bigquery.client.job(job.id ?? '', { location: 'US' });
    expect(await failureOf(elsewhere.getMetadata())).toContain('404 notFound');
  });
});

describe('a query whose job is optional', () => {
  const request = { query: 'SELECT n FROM numbers', defaultDataset, ...OPTIONAL };
  const first = { ...request, useLegacySql: false, maxResults: 10 };

  it('has an id and no job', async () => {
    const answer = await bigquery.answer(request);
    expect(answer).toMatchObject({ totalBytesProcessed: '200', totalBytesBilled: '10485760' });
    expect(Object.keys(answer).join(' ')).toBe(
      'kind queryId location jobComplete schema totalRows totalBytesProcessed totalBytesBilled cacheHit',
    );
    const job = bigquery.client.job(String(answer.queryId));
    const asked = [job.getMetadata(), job.getQueryResults(), job.cancel()];
    const none = `404 notFound: Not found: Job test-project:${job.id}`;
    expect(await Promise.all(asked.map(failureOf))).toEqual([none, none, none]);
  });

  it('has a job if there are more pages', async () => {
    const jobReference = { location: 'US' };
    expect(await post('queries', first)).toMatchObject({ body: { jobReference } });
    const [all] = await bigquery.client.query({ ...request, maxResults: 10 });
    expect(all).toEqual(rows.map(({ n }) => ({ n })));
  });

  it('has a job once it was not done in time', async () => {
    const open = closeGate();
    const { body } = await post('queries', { ...first, timeoutMs: 20 });
    expect(body).toMatchObject({ jobComplete: false, jobReference: { location: 'US' } });
    open();
    const { jobReference } = body as { jobReference: { jobId: string } };
    expect((await bigquery.client.job(jobReference.jobId).getQueryResults())[0]).toHaveLength(25);
  });
});

describe('pages', () => {
  const query = 'SELECT n FROM numbers ORDER BY n';

  it('are joined by the client, with jobs.query and jobs.insert', async () => {
    const request = { query, defaultDataset, maxResults: 10 };
    expect((await bigquery.client.query(request))[0]).toHaveLength(25);
    const slow = { query, defaultDataset, jobId: 'paged' };
    expect((await bigquery.client.query(slow))[0]).toHaveLength(25);
  });

  it('have the schema and no rows with maxResults 0, and for an empty result', async () => {
    const [job] = await bigquery.client.createQueryJob({ query, defaultDataset });
    const [, , response] = await job.getQueryResults({ maxResults: 0, autoPaginate: false });
    expect(response).toMatchObject({ totalRows: '25', schema: { fields: [{ name: 'n' }] } });
    expect(response).not.toHaveProperty('rows');
    expect((await bigquery.client.query('SELECT 1 LIMIT 0'))[0]).toEqual([]);
  });

  it('reject an invalid page token', async () => {
    const [job] = await bigquery.client.createQueryJob({ query, defaultDataset });
    expect(await failureOf(job.getQueryResults({ pageToken: 'x' }))).toContain('400 invalid:');
  });
});

describe('bytes', () => {
  it('are estimated by a dry run, which runs nothing and returns the schema', async () => {
    const query = 'SELECT n FROM numbers WHERE n > @least';
    const [job] = await bigquery.client.createQueryJob({ query, defaultDataset, dryRun: true });
    expect(job.metadata).toMatchObject({
      status: { state: 'DONE' },
      statistics: {
        totalBytesProcessed: '200',
        query: {
          statementType: 'SELECT',
          schema: { fields: [{ name: 'n', type: 'INTEGER', mode: 'NULLABLE' }] },
        },
      },
    });
    expect(await failureOf(job.getMetadata())).toMatch(/^404 /);
  });

  it('are billed as at least 10 MiB per table, and limited by maximumBytesBilled', async () => {
    const query = 'SELECT COUNT(*) FROM numbers AS a, numbers AS b';
    const limited = (maximumBytesBilled: string) => bigquery.answer({ query, maximumBytesBilled });
    expect(await limited('10485760')).toMatchObject({ totalBytesBilled: '10485760' });
    expect(await failureOf(limited('10485759'))).toBe(
      '400 bytesBilledLimitExceeded: Query exceeded limit for bytes billed: 10485759. 10485760 or higher required.',
    );
  });

  it('are 0 without a table', async () => {
    expect(await bigquery.answer({ query: 'SELECT 1', maximumBytesBilled: '1' })).toMatchObject({
      totalBytesProcessed: '0',
      totalBytesBilled: '0',
    });
  });
});
