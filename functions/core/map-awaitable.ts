// Applies a function to a value that may be a promise; a plain value is not awaited.

/** Like `await`, but without a promise for a plain value: several promises take as long as a cache hit. */
export function mapAwaitable<T, R>(
  value: T | Promise<T>,
  next: (value: T) => R | Promise<R>,
): R | Promise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
