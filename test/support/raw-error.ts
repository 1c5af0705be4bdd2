// The one error shape in an answer as it comes over the wire.
import type { RawAnswer } from './raw-http.ts';

/** Holds an answer to the one error shape (AIP-193) and returns its code and its reason. */
export function errorOf({ status, headers, body }: RawAnswer): [number, string] {
  expect(headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
  });
  const { error } = JSON.parse(body) as {
    error: { code: number; status: string; message: string; details: { reason: string }[] };
  };
  expect(error).toMatchObject({
    code: status,
    status: expect.stringMatching(/^[A-Z_]+$/) as string,
    message: expect.stringMatching(/\S/) as string,
  });
  return [status, error.details[0]?.reason ?? ''];
}
