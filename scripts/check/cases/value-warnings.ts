// Tries the ends of what each parameter may be, and warns of values with which the query fails.
import { join } from 'node:path';
import {
  SCALAR_TYPES,
  isNumberType,
  scalarTypeOf,
} from '../../../functions/core/parameter-type.ts';
import type { ScalarType } from '../../../functions/core/parameter-type.ts';
import { INT64_MAX, INT64_MIN } from '../../../functions/endpoints/canonical-scalar.ts';
import type { Endpoint } from '../../../functions/endpoints/endpoint.ts';
import { valuesIn } from '../../../functions/endpoints/parameters.ts';
import type { CatalogueFault } from '../../faults/definition-fault.ts';
import { pointerStep } from '../../faults/schema-error.ts';
import type { GoogleSql } from '../../local-bigquery/index.ts';
import { failureOf } from '../probe.ts';

const NUMERIC_MAX = '9'.repeat(29);
/** The ends of each type; of numbers, in their order, also those that are good bounds. */
const TRIED: Readonly<Record<ScalarType, readonly string[]>> = {
  STRING: ['x', '99-99', '2026-02-30', '(', '\\', 'x'.repeat(1000)],
  INT64: [`${INT64_MIN}`, '-10000', '-1', '0', '1', '10000', `${INT64_MAX}`],
  FLOAT64: ['-1e308', '-10000', '-1', '0', '1', '10000', '1e308'],
  NUMERIC: [`-${NUMERIC_MAX}`, '-10000', '-1', '0', '1', '10000', NUMERIC_MAX],
  BOOL: ['true', 'false'],
  DATE: ['0001-01-01', '9999-12-31'],
  DATETIME: ['0001-01-01T00:00:00', '9999-12-31T23:59:59'],
  TIMESTAMP: ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z'],
};
/** A text that callers may send, and why the query fails with it; '' if it does not. */
type Tried = readonly [text: string, failure: string];

const fails = ([, failure]: Tried): boolean => failure !== '';

/** At parameters of endpoint.json; `directory` is the folder of the endpoint, which has its probe. */
export async function valueWarnings(
  engine: GoogleSql,
  endpoint: Endpoint,
  directory: string,
): Promise<CatalogueFault[]> {
  const examples = valuesIn(endpoint, 'example');
  const warnings: CatalogueFault[] = [];
  for (const name of endpoint.probe?.parameters ?? []) {
    const [definition, rule] = [endpoint.parameters[name], endpoint.rules.get(name)];
    if (definition === undefined || rule === undefined) continue;
    const attempt = async (texts: readonly string[]): Promise<Tried[]> => {
      const tried: Tried[] = [];
      for (const text of texts) {
        const { value, fault } = rule.read([text]);
        if (fault !== undefined || rule.check(value) !== undefined) continue;
        const failure = await failureOf(engine, endpoint, { ...examples, [name]: value });
        tried.push([text, failure ?? '']);
      }
      return tried;
    };
    const warn = (tried: Tried | undefined, remedy: string): void => {
      if (tried === undefined || !fails(tried)) return;
      const what = tried[0] === '' ? 'a call without it' : JSON.stringify(tried[0].slice(0, 40));
      const own = /^Array index/.test(tried[1]) ? 'SAFE_OFFSET or SAFE_ORDINAL gives NULL' : remedy;
      const message = `parameters.${name}: ${what} makes the query fail (${tried[1]}); ${own}`;
      const pointer = `/parameters${pointerStep(name)}`;
      warnings.push({ file: join(directory, 'endpoint.json'), pointer, message });
    };
    const { enum: listed, example } = definition;
    const type = scalarTypeOf(rule.type);
    const [absent] = await attempt(['']);
    warn(absent, 'set "required", give a "default", or write IF for its absence');
    if (listed !== undefined) {
      warn((await attempt(listed)).find(fails), 'take it out of "enum"');
    } else if (isNumberType(type)) {
      const own = Number(example);
      const texts = [...TRIED[type], String(own)].sort((a, b) => Number(a) - Number(b));
      const tried = await attempt(texts);
      const low = tried.findLastIndex((one) => fails(one) && Number(one[0]) < own);
      const high = tried.findIndex((one) => fails(one) && Number(one[0]) > own);
      warn(tried[low], `"minimum": ${tried[low + 1]?.[0]} refuses it`);
      warn(tried[high], `"maximum": ${tried[high - 1]?.[0]} refuses it`);
    } else {
      const failed = (await attempt(TRIED[type])).find(fails);
      const [, failure = ''] = failed ?? [];
      warn(failed, type === 'STRING' ? remedyForText(failure) : 'bound it in query.sql');
    }
  }
  return warnings;
}

function remedyForText(failure: string): string {
  if (/regular expression/.test(failure)) return '"format": "re2" refuses it';
  // Such as `Invalid date: 'x'`.
  const meant = SCALAR_TYPES.find((type) => new RegExp(`^\\w+ ${type}\\b`, 'i').test(failure));
  if (meant !== undefined) return `declare it "type": "${meant}"`;
  return '"enum", "pattern" or "maxLength" refuses it';
}
