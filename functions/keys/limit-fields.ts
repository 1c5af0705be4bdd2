// The header fields with the limits of an API key, as in draft-ietf-httpapi-ratelimit-headers-11.
import type { LimitState } from './limits.ts';

export const LIMIT_FIELDS = {
  RateLimit:
    'What is left of the limits of the key: `"requests";r=59;t=1` is 59 requests within the next second.',
  'RateLimit-Policy': 'The limits of the key: `"requests";q=60;w=60` is 60 requests in 60 seconds.',
};

/** The fields and their values: lists of structured fields (RFC 9651). */
export function limitFields(states: readonly LimitState[]) {
  return {
    // `t` is the time in which no more than `r` can be used: the next one is earned then.
    RateLimit: states
      .map(({ kind, available, moreSeconds }) => `"${kind}";r=${available};t=${moreSeconds}`)
      .join(', '),
    'RateLimit-Policy': states
      .map(({ kind, perMinute }) => `"${kind}";q=${perMinute};w=60`)
      .join(', '),
  } satisfies Record<keyof typeof LIMIT_FIELDS, string>;
}
