// Application default credentials that are made up, with a server on this machine that gives tokens for them.
import { writeFileSync } from 'node:fs';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { listen } from '../service/listen.ts';
import { testDirectory } from '../temporary-directory.ts';

export type MadeUpCredentials = Awaited<ReturnType<typeof makeUpCredentials>>;

const REFRESH_TOKEN = 'made-up-refresh-token';
/** So short that clients ask for a new token before each call. */
const EXPIRES_IN_SECONDS = 1;

/** As `gcloud auth application-default login` writes them for workforce identities: only these name their server. */
export async function makeUpCredentials() {
  const tokens: string[] = [];
  let isRevoked = false;
  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const form = new URLSearchParams(await text(req));
    res.setHeader('content-type', 'application/json');
    if (isRevoked || form.get('refresh_token') !== REFRESH_TOKEN) {
      res.statusCode = 400;
      res.end(JSON.stringify({ error: 'invalid_grant', error_description: 'Revoked.' }));
      return;
    }
    const token = `made-up-token-${tokens.length}`;
    tokens.push(token);
    res.end(JSON.stringify({ access_token: token, expires_in: EXPIRES_IN_SECONDS }));
  };
  const server = createServer((req, res) => void answer(req, res));
  const file = join(testDirectory('credentials-'), 'application_default_credentials.json');
  writeFileSync(
    file,
    JSON.stringify({
      type: 'external_account_authorized_user',
      audience: '//iam.googleapis.com/locations/global/workforcePools/made-up/providers/made-up',
      client_id: 'made-up-client',
      client_secret: 'made-up-secret',
      refresh_token: REFRESH_TOKEN,
      token_url: `${await listen(server)}/token`,
    }),
  );
  return {
    /** The value of GOOGLE_APPLICATION_CREDENTIALS. */
    file,
    /** Every access token so far, in the order in which they were given. */
    tokens,
    /** Gives no tokens from now on: the credentials are revoked. */
    revoke: () => (isRevoked = true),
  };
}
