// A handwritten function for comparison: checks the key, reads Firestore, and asks BigQuery on a miss.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { BigQuery } from '@google-cloud/bigquery';
import { Firestore } from '@google-cloud/firestore';
import { http } from '@google-cloud/functions-framework';

const CACHING_MS = 900_000;
const KEY_MS = 60_000;

const firestore = new Firestore();
const bigquery = new BigQuery();
const queries = `${import.meta.dirname}/queries`;
const sql = new Map(readdirSync(queries).map((f) => [f, readFileSync(`${queries}/${f}`, 'utf8')]));
const keys = new Map<string, { isValid: boolean; untilMs: number }>();

http('handwritten', async (req, res) => {
  res.set('Access-Control-Allow-Origin', '*');
  if (!(await isValid(req.get('X-API-KEY') ?? ''))) {
    res.status(401).json({ error: 'A valid API key is needed.' });
    return;
  }
  const endpoint = req.path.split('/').at(-1) ?? '';
  const query = sql.get(`${endpoint}.sql`);
  if (query === undefined) {
    res.status(404).json({ error: 'There is no such endpoint.' });
    return;
  }
  const { project, function_id = '', interval = '1day' } = req.query as Record<string, string>;
  if (!project) {
    res.status(400).json({ error: 'project is required.' });
    return;
  }
  const parameters = { project, function_id, interval };
  const entry = firestore.doc(`handwritten/${sha256(JSON.stringify([endpoint, parameters]))}`);
  const stored = (await entry.get()).data() as { rows: object[]; computedAt: number } | undefined;
  res.set('Cache-Control', 'private, max-age=300');
  if (stored !== undefined && Date.now() - stored.computedAt < CACHING_MS) {
    res.json({ result: stored.rows });
    return;
  }
  const computedAt = Date.now();
  const [result] = await bigquery.query({ query, params: parameters });
  // Converts the client's timestamp objects to text.
  const rows = JSON.parse(JSON.stringify(result)) as object[];
  await entry.set({ rows, computedAt });
  res.json({ result: rows });
});

async function isValid(key: string): Promise<boolean> {
  const known = keys.get(key);
  if (known !== undefined && known.untilMs > Date.now()) return known.isValid;
  const { exists: isValid } = await firestore.doc(`apiKeys/${sha256(key)}`).get();
  keys.set(key, { isValid, untilMs: Date.now() + KEY_MS });
  return isValid;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
