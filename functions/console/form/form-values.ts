// The values of the form: as they start, and as a call sends them.
import { type Endpoint, type Parameter, type Parameters, isList } from '../service.ts';
import { choicesOf } from './parameter-kind.ts';
import { listOf, valuesOf } from './start-values.ts';
import { withOffset, withSeconds } from './wall-clock.ts';

/** What the fields contain, by the name of the parameter. */
export type Draft = Parameters;

/** A parameter without a value has its default. A TIMESTAMP without a zone is of this one, an IANA name. */
export function draftOf({ parameters }: Endpoint, given: Parameters, zone: string): Draft {
  return Object.fromEntries(
    parameters.map((parameter) => {
      const { name } = parameter;
      const values = Object.hasOwn(given, name) ? valuesOf(given, name) : listOf(parameter.default);
      if (isList(parameter)) return [name, values];
      const [first = ''] = values;
      return [name, [isZoned(parameter) ? withOffset(first, zone) : first]];
    }),
  );
}

/** Whether the field of the parameter has a zone. */
export function isZoned(parameter: Parameter): boolean {
  return parameter.type === 'TIMESTAMP' && choicesOf(parameter) === undefined;
}

/** An empty field is an absent parameter. */
export function valuesToSend({ parameters }: Endpoint, draft: Draft): Parameters {
  return Object.fromEntries(
    parameters
      .map((parameter) => {
        const given = givenOf(draft, parameter);
        // A list without a value would become its default.
        const isEmptyList =
          isList(parameter) && parameter.default !== undefined && given.length === 0;
        return [parameter.name, isEmptyList ? [''] : given] as const;
      })
      .filter(([, given]) => given.length > 0),
  );
}

/** The required parameters that have no value. */
export function findMissing({ parameters }: Endpoint, draft: Draft): string[] {
  return parameters
    .filter((one) => one.required && one.default === undefined && givenOf(draft, one).length === 0)
    .map(({ name }) => name);
}

function givenOf(draft: Draft, parameter: Parameter): string[] {
  const values = valuesOf(draft, parameter.name).filter((value) => value !== '');
  return parameter.type === 'DATETIME' ? values.map(withSeconds) : values;
}
