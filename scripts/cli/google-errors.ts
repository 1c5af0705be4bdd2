// Explains errors of Google's APIs in one line that says what to do.
import { GoogleAuth } from 'google-auth-library';
import { errorCode, errorMessage } from '../../functions/core/describe-error.ts';

/** Texts that replace Google's own messages. */
interface Explanations {
  notFound?: string;
  denied?: string;
  failedPrecondition?: string;
}

/** Status codes of gRPC, and of HTTP for clients that use HTTP. */
const NOT_FOUND = new Set([5, 404]);
const PERMISSION_DENIED = new Set([7, 403]);
const FAILED_PRECONDITION = new Set([9]);
const UNAUTHENTICATED = new Set([16, 401]);

const SCOPES = 'https://www.googleapis.com/auth/cloud-platform';

/**
 * Looks for credentials first, so that missing ones are reported in one line. Without `project` it also
 * looks for a project, by gcloud and by the network.
 */
export async function requireCredentials(project?: string): Promise<GoogleAuth> {
  const auth = new GoogleAuth({
    scopes: SCOPES,
    ...(project === undefined ? {} : { projectId: project }),
  });
  try {
    await auth.getClient();
  } catch (error) {
    throw explainGoogleError(error, {});
  }
  return auth;
}

/** Returns the error itself if there is no better explanation. */
export function explainGoogleError(
  error: unknown,
  { notFound, denied, failedPrecondition }: Explanations,
): Error {
  const code = errorCode(error);
  const message = errorMessage(error);
  const isOne = (codes: ReadonlySet<unknown>): boolean => codes.has(code);
  const explanations: [boolean, string | undefined][] = [
    [
      isOne(UNAUTHENTICATED) || /default credentials|invalid_grant|invalid_rapt/i.test(message),
      'There are no credentials: run "gcloud auth application-default login".',
    ],
    [isOne(NOT_FOUND), notFound],
    [isOne(PERMISSION_DENIED), denied],
    [isOne(FAILED_PRECONDITION), failedPrecondition],
  ];
  const [, explanation] = explanations.find(([applies]) => applies) ?? [];
  if (explanation !== undefined) return new Error(explanation, { cause: error });
  return error instanceof Error ? error : new Error(message);
}
