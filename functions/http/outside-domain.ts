// Runs a function outside the `node:domain` in which Google's functions framework runs each request.
import type { HttpFunction } from '@google-cloud/functions-framework';

/** Not in Node's types since domains are deprecated; the framework still uses them. */
type WithDomain = NodeJS.Process & { domain?: { exit(): void } | null };

/**
 * For a function that answers every error itself. The domain reports errors that a function does not
 * catch. Inside it Node runs hooks in JavaScript for each promise, timer and emitter, which takes
 * longer than a cache hit (https://nodejs.org/api/domain.html).
 */
export function outsideDomain(answer: HttpFunction): HttpFunction {
  return (req, res) => {
    (process as WithDomain).domain?.exit();
    return answer(req, res) as unknown;
  };
}
