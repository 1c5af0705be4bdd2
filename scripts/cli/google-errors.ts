// Explains errors of Google's APIs in one line that states what to do.
import { GoogleAuth } from 'google-auth-library';
import { errorCode, errorMessage } from '../../functions/core/errors.ts';

/** Status codes of gRPC, and of HTTP for clients that use HTTP. */
const CODES = { notFound: [5, 404], denied: [7, 403], failedPrecondition: [9] };
type Kind = keyof typeof CODES;
const UNAUTHENTICATED: unknown[] = [16, 401];

const SCOPES = 'https://www.googleapis.com/auth/cloud-platform';

/** Reports missing credentials in one line. Without `project` it also looks for one, by gcloud and by the network. */
export async function requireCredentials(project?: string): Promise<GoogleAuth> {
  const auth = new GoogleAuth({
    scopes: SCOPES,
    ...(project !== undefined && { projectId: project }),
  });
  const emitWarning = process.emitWarning.bind(process);
  // Google's client also warns of the metadata server, which only machines of Google Cloud have.
  process.emitWarning = ((text: string, type?: string) => {
    if (type !== 'MetadataLookupWarning') emitWarning(text, type);
  }) as typeof emitWarning;
  try {
    await auth.getClient();
  } catch (error) {
    throw explainGoogleError(error, {});
  } finally {
    process.emitWarning = emitWarning;
  }
  return auth;
}

const DISABLED = /has not been used in project|it is disabled|SERVICE_DISABLED/;

/** Returns the error itself if there is no better explanation. */
export function explainGoogleError(
  error: unknown,
  explanations: Partial<Record<Kind, string>>,
): Error {
  const code = errorCode(error);
  const message = errorMessage(error);
  // It is "permission denied" too, but no role would help.
  if (DISABLED.test(message)) {
    const [api] = /[a-z]+\.googleapis\.com/.exec(message) ?? [];
    const text = `The API ${api} is disabled: run "gcloud services enable ${api}" for the project.`;
    return new Error(api === undefined ? message.split('\n', 1)[0] : text, { cause: error });
  }
  const isUnauthenticated =
    UNAUTHENTICATED.includes(code) ||
    /default credentials|invalid_grant|invalid_rapt/i.test(message);
  const kind = (Object.keys(CODES) as Kind[]).find((one) => CODES[one].includes(Number(code)));
  const explanation = isUnauthenticated
    ? 'No credentials found: run "gcloud auth application-default login".'
    : kind && explanations[kind];
  if (explanation !== undefined) return new Error(explanation, { cause: error });
  return error instanceof Error ? error : new Error(message);
}
