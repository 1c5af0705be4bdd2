// Tests of the OpenAPI document over HTTP: it is valid, and has the endpoints of the key, the address of the service, and examples that fit.
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { REASONS, type Reason, ServiceError, errorBody } from '../../functions/core/errors.ts';
import { FakeSqlTree, parameter, rowOf } from '../support/sql/fake-sql-tree.ts';
import { runScenario } from '../support/scenarios.ts';
import { stepsBeside } from '../support/steps.ts';
import { createQueryServer } from '../support/world.ts';
import { loadTypedEndpoints } from '../support/sql/typed-endpoints.ts';

interface OpenApi {
  paths: Record<
    string,
    {
      get: {
        operationId: string;
        parameters: object[];
        responses: { 200: { content: Record<string, { example?: unknown }> } };
      };
    }
  >;
  components: {
    schemas: Record<string, { required?: string[]; properties?: object }>;
    responses: Record<string, { headers?: object }>;
  };
}

const ENDPOINTS = '/api/endpoints/query';

it.each(stepsBeside(import.meta.filename))('%s', (_, steps) => runScenario(steps));

/** The document, which is valid whatever the key and the endpoints are. */
async function openApiOf(service = createQueryServer(), key?: string): Promise<OpenApi> {
  const answer = await service.get('/api/endpoints/openapi.json', key);
  expect(answer.status).toBe(200);
  const validator = new Validator();
  expect(await validator.validate({ ...(answer.body as object) })).toEqual({ valid: true });
  expect(validator.version).toBe('3.1');
  return answer.body as OpenApi;
}

it('the document has one operation per endpoint of the key', async () => {
  const service = createQueryServer();
  const operationsOf = async (key?: string): Promise<[string, string][]> => {
    const { paths } = await openApiOf(service, key);
    return Object.entries(paths).map(([path, operation]) => [path, operation.get.operationId]);
  };
  service.keyStore.add('sqk_nothing', { endpoints: [] });
  expect(await operationsOf('sqk_nothing')).toEqual([]);
  expect(await operationsOf()).toEqual([
    [`${ENDPOINTS}/tasks.run-stats`, 'tasks.run-stats'],
    [`${ENDPOINTS}/web.visit-counts`, 'web.visit-counts'],
  ]);
});

it('the document has every error of an endpoint, and says which may be repeated', async () => {
  const { paths, components } = await openApiOf();
  const { responses } = paths[`${ENDPOINTS}/tasks.run-stats`]?.get ?? { responses: {} };
  expect(Object.keys(responses).map(Number)).toEqual([
    200, 202, 304, 400, 401, 403, 404, 405, 406, 429, 500, 501, 503, 504,
  ]);
  const errors = Object.entries(components.responses);
  const retried = errors.filter(([, { headers = {} }]) => 'Retry-After' in headers);
  expect(retried.map(([name]) => name)).toEqual(['running', 'error429', 'error503']);
  const row = components.schemas['tasks.run-stats.row'];
  expect(Object.keys(row?.properties ?? {})).toEqual(row?.required);
});

it('the document describes every parameter type, and ARRAYs of it', async () => {
  const { paths } = await openApiOf(createQueryServer({ catalogue: loadTypedEndpoints() }));
  // The last three are the format, its mark and the preference.
  expect(paths[`${ENDPOINTS}/types.echo`]?.get.parameters).toHaveLength(19);
});

it('what is served fits the document in its example of rows of every column type and mode, and in every error', async () => {
  const OF_TOOLS = new Set<Reason>(['ORIGIN_NOT_ALLOWED', 'BODY_TOO_LARGE']);
  const TYPES = [
    ...['BIGNUMERIC', 'BOOL', 'BYTES', 'DATE', 'DATETIME', 'FLOAT64', 'INT64', 'JSON', 'NUMERIC'],
    ...['RECORD', 'STRING', 'TIME', 'TIMESTAMP'],
  ];

  const columns = TYPES.flatMap((type) =>
    ['REQUIRED', 'NULLABLE', 'REPEATED'].map((mode) => `${type}_${mode} ${type} ${mode}`),
  );
  const parameters = { any: parameter() };
  const tree = new FakeSqlTree().endpoint({ row: rowOf(columns.join(', ')), parameters });
  const document = await openApiOf(createQueryServer({ catalogue: tree.catalogue() }));
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  ajvFormats.default(ajv);
  ajv.addSchema(document, 'openapi');
  const faultsOf = (pointer: string, value: unknown) => {
    const validate = ajv.compile({ $ref: `openapi#${pointer}` });
    validate(value);
    return validate.errors;
  };
  for (const [path, { get: operation }] of Object.entries(document.paths)) {
    const at = `/paths/${encodeURIComponent(path.replaceAll('/', '~1'))}/get/responses/200`;
    const example = operation.responses[200].content['application/json']?.example;
    expect(faultsOf(`${at}/content/application~1json/schema`, example)).toBeNull();
  }
  const fieldViolations = [{ field: 'format', description: 'must be one of json, csv' }];
  for (const reason of (Object.keys(REASONS) as Reason[]).filter((one) => !OF_TOOLS.has(one))) {
    const error = new ServiceError(reason, 'A sentence.', { fieldViolations });
    const body: unknown = JSON.parse(errorBody(error));
    expect([reason, faultsOf('/components/schemas/error', body)]).toEqual([reason, null]);
  }
});

it('what is served fits the document with an example of the rows of an endpoint', async () => {
  const { paths } = await openApiOf();
  const { content } = paths[`${ENDPOINTS}/web.visit-counts`]?.get.responses[200] ?? {};
  expect(content?.['application/json']?.example).toEqual({
    result: [{ timestamp: '2026-11-20T10:00:00', visits: 42, urls: 42 }],
  });
});
