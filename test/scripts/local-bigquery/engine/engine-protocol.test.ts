// Tests that the engine's answers are decoded without loss.
import { join } from 'node:path';
import type { ServiceDefinition } from '@grpc/proto-loader';
import * as protoLoader from '@grpc/proto-loader';
import {
  engineRoot,
  startEngineProcess,
} from '../../../../scripts/local-bigquery/engine/engine-process.ts';
import { engineProtocol } from '../../../../scripts/local-bigquery/engine/engine-protocol.ts';

const { decode } = engineProtocol(engineRoot()).method('Analyze').response;
const definitions = protoLoader.loadSync('local_service.proto', {
  includeDirs: [join(engineRoot(), 'protos')],
  longs: String,
  enums: String,
});

const engine = await startEngineProcess();
afterAll(() => engine.close());

async function analysis(input: string): Promise<Buffer> {
  const features = { maximumFeatures: true };
  const languageOptions = await engine.call<object>('GetLanguageOptions', features);
  return await engine.analyze({
    options: {
      languageOptions,
      allowUndeclaredParameters: true,
      parseLocationRecordType: 'PARSE_LOCATION_RECORD_FULL_NODE_SCOPE',
    },
    simpleCatalog: { name: 'local', builtinFunctionOptions: { languageOptions } },
    parseResumeLocation: { input, bytePosition: 0 },
  });
}

/** What the local BigQuery does not read. */
const UNREAD = ['annotationMap', 'tableName', 'typeAnnotationMap', 'signature'];
const withoutUnread = (key: string, value: unknown) => (UNREAD.includes(key) ? undefined : value);

it.each([
  [
    'literals of many kinds',
    "SELECT 'é', -1, 1.5, NULL, TRUE, b'x', DATE '1969-12-31', [1, 2], STRUCT('a' AS b, -9223372036854775808 AS c)",
  ],
  [
    'joins, parameters and subqueries',
    'WITH a AS (SELECT 1 AS x) SELECT x, (SELECT COUNT(*) FROM UNNEST([1, 2]) AS e WHERE e > a.x), @p FROM a LEFT JOIN (SELECT 2 AS y) ON x = y ORDER BY 1 DESC LIMIT 3',
  ],
])('decodes %s like proto-loader', async (_, sql) => {
  const answer = await analysis(sql);
  const { Analyze } = definitions['zetasql.local_service.ZetaSqlLocalService'] as ServiceDefinition;
  const decoded = decode(answer);
  expect(decoded).toHaveProperty('resolvedStatement.resolvedQueryStmtNode.outputColumnList');
  const json = JSON.stringify(Analyze?.responseDeserialize(answer), withoutUnread);
  expect(JSON.parse(JSON.stringify(decoded))).toEqual(JSON.parse(json));
});

it('omits unused fields', async () => {
  const answer = decode(await analysis('SELECT 1 AS a, 2 AS b'));
  expect(answer).toHaveProperty(
    'resolvedStatement.resolvedQueryStmtNode.outputColumnList.0.column',
    { columnId: '1', name: 'a', type: { typeKind: 'TYPE_INT64' } },
  );
});

it('rejects a truncated response', () => {
  expect(() => decode(Buffer.from([10, 5, 1]))).toThrow('index out of range');
});
