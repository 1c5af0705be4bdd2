// The values with which commands show an endpoint: the examples of its definition.
import { textsOf } from '../../functions/core/parameter-type.ts';
import type { Endpoint } from '../../functions/endpoints/endpoint.ts';
import type { ParameterDefinition } from '../../functions/endpoints/parameter-rule.ts';
import type { CanonicalParameters } from '../../functions/endpoints/parameters.ts';

/** By default of the required parameters, and of those with a fixed list. */
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

/** The values as callers write them. */
export function queryString(values: CanonicalParameters): string {
  const pairs = Object.entries(values).flatMap(([name, value]) =>
    textsOf(value).map((text): [string, string] => [name, text]),
  );
  return new URLSearchParams(pairs).toString();
}
