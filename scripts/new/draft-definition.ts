// Drafts endpoint.json from what the analyzer knows of a query.
import { randomUUID } from 'node:crypto';
import { isScalarType, scalarTypeOf } from '../../functions/core/parameter-type.ts';
import type { ParameterType, ScalarType } from '../../functions/core/parameter-type.ts';
import type { ColumnDefinition, EndpointDefinition } from '../../functions/endpoints/endpoint.ts';
import type { ParameterDefinition } from '../../functions/endpoints/parameter-rule.ts';
import { columnType } from '../../functions/bigquery/check-page.ts';
import type { TableField } from '../local-bigquery/index.ts';
import type { Source } from '../sources/read-sources.ts';
import { type ColumnOrigin, type ColumnOrigins, fieldAt } from './column-origins.ts';
import { inferBucket } from './infer-bucket.ts';
import type { TypedQuery } from './infer-parameters.ts';
import type { ParameterUses } from './parameter-uses.ts';

export interface QueryFacts extends TypedQuery {
  origins: ColumnOrigins;
  uses: ParameterUses;
}

export type Examples = Readonly<Record<string, string | string[]>>;

interface Draft {
  name: string;
  description: string;
  facts: QueryFacts;
  sources: readonly Source[];
  nowMs: number;
  /** The given examples, by parameter. */
  examples: ReadonlyMap<string, string>;
}

const MAX_ROWS = 1000;
/** Names of parameters that are time zones. */
const ZONE = /(?:^|_)(?:tz|time_?zone)$/i;

/** With a new id, and with examples that are of their types. Throws for an example of no parameter. */
export function draftDefinition(draft: Draft): EndpointDefinition {
  const { name, description, facts, sources, nowMs, examples } = draft;
  const unknown = [...examples.keys()].find((parameter) => !facts.types.has(parameter));
  if (unknown !== undefined) {
    const known = [...facts.types.keys()].join(', ') || 'none';
    throw new Error(`The query has no parameter ${unknown} (--example); it has ${known}.`);
  }
  const fieldOf = (origin: ColumnOrigin | undefined) =>
    origin && fieldAt(origin, sources.find((source) => source.name === origin.table)?.fields ?? []);
  const parameters = [...facts.types].map(([parameter, type]) => {
    const compared = facts.uses.comparisons.find((one) => one.parameter === parameter);
    const ofColumn = fieldOf(compared)?.field.description;
    const literals = facts.uses.literals.filter((one) => one.parameter === parameter);
    const texts = [...new Set(literals.map(({ text }) => text))];
    const isZone = ZONE.test(parameter);
    const example =
      examples.get(parameter) ?? (isZone ? 'UTC' : texts[0]) ?? exampleOf(type, nowMs);
    // A parameter that is compared only with literals chooses between them.
    const isChoice = texts.length > 1 && compared === undefined && !isZone;
    const drafted: ParameterDefinition = {
      description: ofColumn || inWords(parameter),
      required: !facts.uses.optional.has(parameter),
      type,
      ...(facts.uses.limits.has(parameter) ? { minimum: 1, maximum: MAX_ROWS } : {}),
      ...(facts.uses.patterns.has(parameter) ? { format: 're2' } : {}),
      ...(isChoice && texts.includes(example) ? { enum: texts } : {}),
      example: isScalarType(type) ? example : [example],
    };
    return [parameter, drafted] as const;
  });
  const row = facts.analysis.columns.map((column, index) => {
    const output = facts.origins.outputs[index];
    const found = fieldOf(output?.origin);
    const isCertain =
      !facts.origins.mayAddNulls && (output?.isCount === true || found?.isRequired === true);
    return [column.name, columnOf(column, found?.field.description, isCertain)] as const;
  });
  const bucket = inferBucket(facts.analysis, facts.origins);
  return {
    id: randomUUID(),
    name,
    description,
    queryLanguage: 'bigquery',
    maxRows: MAX_ROWS,
    cachingSeconds: 900,
    cacheWarmingSeconds: 300,
    sandboxed: false,
    parameters: Object.fromEntries(parameters),
    row: Object.fromEntries(row),
    ...(bucket && { bucket }),
  };
}

/** The definition as endpoint.json has it, in its usual order. */
export function definitionFile(definition: EndpointDefinition, examples: Examples): object {
  const { parameters, row, bucket, ...fields } = definition;
  const withExamples = Object.entries(parameters).map(([name, parameter]) => [
    name,
    { ...parameter, example: examples[name] ?? parameter.example },
  ]);
  return {
    $schema: '../../endpoint.schema.json',
    ...fields,
    parameters: Object.fromEntries(withExamples) as EndpointDefinition['parameters'],
    row,
    ...(bucket && { bucket }),
  };
}

function columnOf(
  { name, type, mode }: TableField,
  description: string | undefined,
  isCertain: boolean,
): ColumnDefinition {
  const isRepeated = mode === 'REPEATED';
  return {
    type: columnType(type),
    mode: isRepeated ? 'REPEATED' : isCertain ? 'REQUIRED' : 'NULLABLE',
    description: description || inWords(name),
  };
}

function exampleOf(type: ParameterType, nowMs: number): string {
  const now = new Date(nowMs).toISOString();
  const hour = now.slice(0, 'YYYY-MM-DDTHH'.length);
  const examples: Readonly<Record<ScalarType, string>> = {
    STRING: 'example',
    INT64: '10',
    NUMERIC: '10',
    FLOAT64: '1.5',
    BOOL: 'true',
    DATE: now.slice(0, 'YYYY-MM-DD'.length),
    DATETIME: `${hour}:00:00`,
    TIMESTAMP: `${hour}:00:00Z`,
  };
  return examples[scalarTypeOf(type)];
}

/** A name in words: `min_amount` as "Min amount". */
export function inWords(name: string): string {
  const words = name.replaceAll(/[^\p{L}\p{N}]+/gu, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
