// Reads the fields of a Firestore document, whose form is unknown until each field has been checked.
import { Timestamp } from '@google-cloud/firestore';
import { isObject } from '../core/json.ts';
import type { ParameterValue } from '../core/parameter-type.ts';

type Form = Readonly<Record<string, (value: unknown) => boolean>>;

/** What the checks of a form, which are type predicates, have proved. */
type FieldsOf<F> = {
  [Name in keyof F]: F[Name] extends (value: unknown) => value is infer T ? T : never;
};

/** The fields that the form names; undefined unless each has passed its check. */
export function fieldsOf<F extends Form>(data: unknown, form: F): FieldsOf<F> | undefined {
  if (!isObject(data)) return undefined;
  const fields: Record<string, unknown> = {};
  for (const [name, isValid] of Object.entries(form)) {
    if (!isValid(data[name])) return undefined;
    fields[name] = data[name];
  }
  return fields as FieldsOf<F>;
}

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

export function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(isText);
}

export function isTimestamp(value: unknown): value is Timestamp {
  return value instanceof Timestamp;
}

export function isParameters(value: unknown): value is Record<string, ParameterValue> {
  return (
    isObject(value) &&
    Object.getPrototypeOf(value) === Object.prototype &&
    Object.values(value).every(isParameterValue)
  );
}

function isParameterValue(value: unknown): value is ParameterValue {
  return value === null || isText(value) || isTexts(value);
}
