// Tells whether a value of unknown origin has fields: parsed JSON, a stored document, an error.

/** True for every object but lists; the fields are unknown too. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
