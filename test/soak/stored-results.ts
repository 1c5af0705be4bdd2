// Watches the stored results during a soak test: wrong rows, and older rows that replace newer ones.
import { gunzipSync } from 'node:zlib';
import type { Firestore } from '@google-cloud/firestore';
import { type ChangingTables, questionOf } from './changing-tables.ts';
import type { Verdict } from './verdict.ts';

export type StoredResults = ReturnType<typeof watchStoredResults>;

/** Tolerance between the clocks of two processes. */
const CLOCK_MS = 100;

/**
 * Checks every change in the order of Firestore: the time at which the rows of a document were computed never
 * decreases, and the rows are those of a state of the table that was current between that time and now.
 */
export function watchStoredResults(
  firestore: Firestore,
  tables: ChangingTables,
  { violate, count }: Verdict,
) {
  const newest = new Map<string, { computedAtMs: number; seenMs: number }>();
  const broken = new Set<string>();
  const stop = firestore.collection('results').onSnapshot(
    (snapshot) => {
      for (const { type, doc } of snapshot.docChanges()) {
        if (type === 'removed') newest.delete(doc.id);
        else judge(doc.id, doc.data());
      }
    },
    (error) => violate(`Firestore reports no more changes: ${String(error)}`),
  );
  return {
    /** Says that this document is broken on purpose until its rows are replaced. */
    expectBroken: (id: string) => void broken.add(id),
    /** When the newest rows of a document were computed, and when this program saw them. */
    newestOf: (id: string) => newest.get(id),
    stop,
  };

  function judge(id: string, data: FirebaseFirestore.DocumentData): void {
    const { endpoint, parameters, computedAt, body } = data as Record<string, unknown>;
    const computedAtMs = (computedAt as { toMillis?: () => number } | undefined)?.toMillis?.();
    const known = newest.get(id);
    if (computedAtMs === undefined || computedAtMs === known?.computedAtMs) return;
    const name = `${String(endpoint)} ${JSON.stringify(parameters)}`;
    if (known !== undefined && computedAtMs < known.computedAtMs) {
      violate(`${name}: rows were replaced by rows ${known.computedAtMs - computedAtMs} ms older`);
    }
    newest.set(id, { computedAtMs, seenMs: Date.now() });
    count('stored rows seen');
    const question = questionOf(String(endpoint), parameters as Record<string, string>);
    if (question === undefined) return;
    const text = textOf(body);
    const fault = tables.faultOf(question, text, computedAtMs - CLOCK_MS, Date.now() + CLOCK_MS);
    if (fault && !broken.delete(id))
      violate(`${name}: stored are ${fault.what}: ${text}, now ${fault.now}`);
  }
}

function textOf(body: unknown): string {
  try {
    return gunzipSync(body as Uint8Array).toString();
  } catch {
    return 'no gzip';
  }
}
