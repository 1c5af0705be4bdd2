// Checks the form of an error answer, and reads its code and reason.
import type { RawAnswer } from './raw-http.ts';

/** The code and the reason of an error answer; fails if it does not have the form of AIP-193. */
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
