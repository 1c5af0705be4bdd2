// Takes from a definition the parts that the schema finds no fault with, so that they can be checked further.
import { isObject } from '../../functions/core/json.ts';
import type { ParameterType } from '../../functions/core/parameter-type.ts';
import type { ColumnDefinition, EndpointDefinition } from '../../functions/endpoints/endpoint.ts';
import type { ParameterDefinition } from '../../functions/endpoints/parameter-rule.ts';
import { type SchemaFault, pointerStep } from '../faults/schema-error.ts';

export type SoundParts = ReturnType<typeof soundParts>;

/** `faults` are all that the schema finds. */
export function soundParts(definition: unknown, faults: readonly SchemaFault[]) {
  const fields = isObject(definition) ? definition : {};
  const isSound = (pointer: string): boolean =>
    faults.every((fault) => fault.pointer !== pointer && !fault.pointer.startsWith(`${pointer}/`));
  const field = <Name extends keyof EndpointDefinition>(name: Name) =>
    // The schema describes the type of each field.
    isSound(`/${name}`) ? (fields[name] as EndpointDefinition[Name] | undefined) : undefined;
  const membersOf = (name: 'parameters' | 'row'): [string, unknown][] =>
    Object.entries(isObject(fields[name]) ? fields[name] : {});
  const soundMembers = <T>(name: 'parameters' | 'row') =>
    membersOf(name).map(([member, value]): [string, T | undefined] => [
      member,
      isSound(`/${name}${pointerStep(member)}`) ? (value as T) : undefined,
    ]);
  const parameters = soundMembers<ParameterDefinition>('parameters');
  const typeOf = ([name, value]: [string, unknown]): ParameterType | undefined =>
    isObject(value) && isSound(`/parameters${pointerStep(name)}/type`)
      ? ((value.type ?? 'STRING') as ParameterType)
      : undefined;
  return {
    id: field('id'),
    name: field('name'),
    cachingSeconds: field('cachingSeconds'),
    cacheWarmingSeconds: field('cacheWarmingSeconds'),
    /** The type of each parameter, also of those with a fault; undefined if the fault is in the type. */
    types: new Map(membersOf('parameters').map((member) => [member[0], typeOf(member)])),
    /** Those without a fault. */
    parameters: Object.fromEntries(
      parameters.flatMap(([name, parameter]) => (parameter ? [[name, parameter] as const] : [])),
    ),
    /** All columns in output order; undefined for one with a fault. */
    row: Object.fromEntries(soundMembers<ColumnDefinition>('row')),
    warming: field('warming'),
    /** Whether the definition has the field, with or without a fault. */
    hasWarming: fields.warming !== undefined,
  };
}
