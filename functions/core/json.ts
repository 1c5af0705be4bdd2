// Checks values of unknown form: whether one is an object, what its fields are, and whether a text is JSON.

/** True for every object except lists; its fields are unknown. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The fields of an object; none of another value. */
export function membersOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}

type Form = Readonly<Record<string, (value: unknown) => boolean>>;

type Checked<Check> = Check extends (value: unknown) => value is infer T ? T : never;

/** What the checks of a form, which are type predicates, have proved. What may be undefined may be absent. */
export type FieldsOf<F> = {
  [Name in keyof F as undefined extends Checked<F[Name]> ? never : Name]: Checked<F[Name]>;
} & {
  [Name in keyof F as undefined extends Checked<F[Name]> ? Name : never]?: Checked<F[Name]>;
};

/** The fields that the form names; undefined unless each has passed its check. */
export function fieldsOf<F extends Form>(data: unknown, form: F): FieldsOf<F> | undefined {
  if (!isObject(data)) return undefined;
  const fields: Record<string, unknown> = {};
  for (const [name, isValid] of Object.entries(form)) {
    if (!isValid(data[name])) return undefined;
    fields[name] = data[name] ?? undefined;
  }
  return fields as FieldsOf<F>;
}

/** The check of a value that is an object of this form. */
export function hasForm<F extends Form>(form: F) {
  return (value: unknown): value is FieldsOf<F> => fieldsOf(value, form) !== undefined;
}

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

export function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(isText);
}

export function isYes(value: unknown): value is true {
  return value === true;
}

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** For a field that may be absent, or null: `fieldsOf` gives undefined. */
export function optional<T>(is: (value: unknown) => value is T) {
  return (value: unknown): value is T | undefined =>
    (value ?? undefined) === undefined || is(value);
}

/** Undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
