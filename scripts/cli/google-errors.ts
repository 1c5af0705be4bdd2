// What a Google API refuses, in one line that says what to do.
import { GoogleAuth } from 'google-auth-library';

/** Status codes of gRPC, and of HTTP where the client speaks that. */
const NOT_FOUND = new Set([5, 404]);
const PERMISSION_DENIED = new Set([7, 403]);
const UNAUTHENTICATED = new Set([16, 401]);

const SCOPES = 'https://www.googleapis.com/auth/cloud-platform';

/** Asks for credentials here, where their absence can be said in one line. */
export async function requireCredentials(): Promise<void> {
  try {
    await new GoogleAuth({ scopes: SCOPES }).getClient();
  } catch (error) {
    throw explainGoogleError(error, {});
  }
}

/** The error itself where there is nothing better to say of it. */
export function explainGoogleError(
  error: unknown,
  { notFound, denied }: { notFound?: string; denied?: string },
): Error {
  const { code, message = '' } = error as { code?: number; message?: string };
  const isOne = (codes: ReadonlySet<number>): boolean => code !== undefined && codes.has(code);
  if (isOne(UNAUTHENTICATED) || /default credentials|invalid_grant|invalid_rapt/i.test(message)) {
    return new Error('There are no credentials: run "gcloud auth application-default login".', {
      cause: error,
    });
  }
  if (isOne(NOT_FOUND) && notFound !== undefined) return new Error(notFound, { cause: error });
  if (isOne(PERMISSION_DENIED) && denied !== undefined) return new Error(denied, { cause: error });
  return error instanceof Error ? error : new Error(String(error));
}
