// Finds parameter values for which an endpoint has rows in the local tables.
import { errorMessage } from '../../../functions/core/describe-error.ts';
import { textsOf } from '../../../functions/core/parameter-type.ts';
import { type Endpoint, typesOf } from '../../../functions/endpoints/endpoint.ts';
import type { ParameterDefinition } from '../../../functions/endpoints/parameter-rule.ts';
import type { CanonicalParameters } from '../../../functions/endpoints/parameters.ts';
import type { Source } from '../../sources/read-sources.ts';
import { type ComparedColumn, type RunLocally, frequentValues } from './frequent-values.ts';

export interface Example {
  /** Of the required parameters, and of those with a fixed list. */
  values: CanonicalParameters;
  /** The reason why no rows are to be expected, if there is one. */
  fault?: string;
}

const TRIES_MAX = 12;

/** That of the definition if it gives rows; else frequent or listed values that do; else the former, with its fault. */
export async function findExample(
  endpoint: Endpoint,
  sources: readonly Source[],
  run: RunLocally,
  compared: readonly ComparedColumn[] = [],
): Promise<Example> {
  const values = ownExample(endpoint);
  try {
    if (await hasRows(endpoint, values, run)) return { values };
  } catch (err) {
    return { values, fault: errorMessage(err) };
  }
  const free = Object.keys(values).filter((name) => endpoint.parameters[name]?.enum === undefined);
  let fault = 'its example returns no rows';
  function otherwise<T>(result: T): () => T {
    return () => {
      fault = 'its example returns no rows, and the search for others failed or took too long';
      return result;
    };
  }
  const search = frequentValues(endpoint, free, sources, run, compared);
  const frequent = await search.catch(otherwise([]));
  const listed = listings(endpoint);
  const tries = [...frequent, {}].flatMap((found) =>
    listed.map((one) => ({ ...values, ...found, ...one })),
  );
  for (const others of tries.slice(0, TRIES_MAX)) {
    if (await hasRows(endpoint, others, run).catch(otherwise(false))) return { values: others };
  }
  return { values, fault };
}

export function ownExample(
  { parameters, rules }: Endpoint,
  isShown = (parameter: ParameterDefinition): boolean =>
    parameter.required || parameter.enum !== undefined,
): CanonicalParameters {
  const shown = Object.entries(parameters).filter(([, parameter]) => isShown(parameter));
  const valueOf = (name: string, example: string | readonly string[]) =>
    rules.get(name)?.read([example].flat()).value ?? null;
  return Object.fromEntries(shown.map(([name, { example }]) => [name, valueOf(name, example)]));
}

/** Parameters that `values` does not name are absent. */
export async function hasRows(endpoint: Endpoint, values: CanonicalParameters, run: RunLocally) {
  const bound = [...endpoint.rules].map(([name, rule]) => [
    name,
    values[name] ?? rule.read(undefined).value,
  ]);
  const parameters = Object.fromEntries(bound) as CanonicalParameters;
  const rows = await run({ sql: endpoint.sql, parameters, types: typesOf(endpoint) });
  return rows.length > 0;
}

function listings({ parameters, rules }: Endpoint): CanonicalParameters[] {
  let combinations: CanonicalParameters[] = [{}];
  for (const [name, rule] of rules) {
    const { example = '', enum: listed } = parameters[name] ?? {};
    if (listed === undefined) continue;
    const texts = new Set([...[example].flat(), ...listed]);
    const values = [...texts].map((text) => rule.read([text]).value);
    combinations = values
      .flatMap((value) => combinations.map((others) => ({ ...others, [name]: value })))
      .slice(0, TRIES_MAX);
  }
  return combinations;
}

/** The values as callers write them. */
export function queryString(values: CanonicalParameters): string {
  const pairs = Object.entries(values).flatMap(([name, value]) =>
    textsOf(value).map((text): [string, string] => [name, text]),
  );
  return new URLSearchParams(pairs).toString();
}
