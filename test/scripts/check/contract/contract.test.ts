// Tests of what counts as a breaking change of an endpoint: one change at a time.
import { readFileSync } from 'node:fs';
import type { EndpointDefinition } from '../../../../functions/endpoints/endpoint.ts';
import { breakingChanges } from '../../../../scripts/check/contract/compare-definitions.ts';
import schema from '../../../../sql/endpoint.schema.json' with { type: 'json' };
import { endpointDefinition, parameter } from '../../../support/sql/fake-sql-tree.ts';

const changes = readFileSync('test/scripts/check/contract/contract-changes.txt', 'utf8');
const [, BREAKING = [], HARMLESS = [], TOGETHER = []] = changes
  .split(/^# .*$/m)
  .map((part) => part.trim().split('\n'))
  .map((lines) => lines.map((line) => line.split(/ -> ?/) as [change: string, expected: string]));

it.each([...BREAKING, ...HARMLESS, ...TOGETHER])(
  'reports what may break callers: %s',
  (change, expected) => {
    const column = (type: string, mode: string) => ({ type, mode, description: 'A column.' });
    const ROW: Record<string, object> = {
      at: column('TIMESTAMP', 'REQUIRED'),
      total: { ...column('INT64', 'REQUIRED'), unit: 'ms' },
      note: column('STRING', 'NULLABLE'),
      tags: column('STRING', 'REPEATED'),
    };
    const BASE = {
      ...endpointDefinition(),
      warming: { batchOver: ['tenant'], maxKeys: 100 },
      parameters: {
        tenant: parameter({ required: true, minLength: 2, maxLength: 9, pattern: '^[a-z]+$' }),
        free: parameter(),
        site: parameter({ format: 'uri' }),
        mode: parameter({ enum: ['hour', 'day'], aliases: { h: 'hour' }, default: 'hour' }),
        span: parameter({ enum: ['hour', 'day'], aliases: { d: 'day' }, otherwise: 'day' }),
        unit: parameter({ type: 'INT64', enum: ['1', '2'] }),
        weeks: parameter({ type: 'INT64', minimum: 1, maximum: 9, default: '4', required: true }),
        page: parameter({ type: 'INT64' }),
        ids: parameter({ type: 'ARRAY<INT64>', minItems: 2, maxItems: 9, enum: ['1', '2', '3'] }),
        names: parameter({ type: 'ARRAY<STRING>', default: 'a' }),
        words: parameter({ type: 'ARRAY<STRING>', default: 'a', required: true }),
      },
      row: ROW,
    } as EndpointDefinition;

    /** `BASE` after a change as the tables write it. */
    function changed(change: string): EndpointDefinition {
      const definition = structuredClone(BASE) as unknown as Record<string, unknown>;
      for (const edit of change.split(' & ')) {
        const [path = '', json = ''] = edit.split(' = ');
        const steps = path.split('.');
        const name = steps.pop() ?? '';
        const around = steps.reduce((at, step) => at[step] as typeof definition, definition);
        if (json === 'absent') delete around[name];
        else around[name] = valueOf(path, JSON.parse(json));
      }
      return definition as unknown as EndpointDefinition;
    }

    function valueOf(path: string, value: unknown): unknown {
      if (/^parameters\.\w+$/.test(path)) return parameter(value as object);
      if (path !== 'row') return value;
      const names = String(value).split(' ');
      return Object.fromEntries(
        names.map((name) => [name, ROW[name] ?? column('INT64', 'REQUIRED')] as const),
      );
    }

    const found = breakingChanges(BASE, changed(change));
    for (const { pointer, message } of found) {
      expect(message.split(' ')[0]).toBe(pointer.slice(1).replaceAll('/', '.'));
    }
    expect(found.map(({ message }) => message).join(' | ')).toBe(expected);
  },
);

it('assigns every field of the schema to the contract or not', () => {
  /** Callers see them in no answer. Every other field of the schema breaks callers in one of the lines above. */
  const NO_CONTRACT = [
    ...['$schema', 'description', 'queryLanguage', 'cacheWarmingSeconds', 'sandboxed', 'warming'],
    ...['bucket', 'parameters.description', 'parameters.example', 'row.description'],
  ];
  expect(Math.min(BREAKING.length, HARMLESS.length)).toBeGreaterThanOrEqual(25);
  const inContract = BREAKING.map(([change]) =>
    change.replace(/ = .*/, '').replace(/^(parameters|row)\.\w+/, '$1'),
  );
  const { parameter: ofParameter, column: ofColumn } = schema.definitions;
  const inSchema = [
    ...Object.keys(schema.properties),
    ...Object.keys(ofParameter.properties).map((name) => `parameters.${name}`),
    ...Object.keys(ofColumn.properties).map((name) => `row.${name}`),
  ];
  expect(new Set([...inContract, ...NO_CONTRACT])).toEqual(new Set(inSchema));
});
