// Before all tests: one Firestore emulator for them, the best that this machine has.
import { startGoogleFirestore, startInProcessFirestore } from './firestore-emulators.ts';
import type { FirestoreEmulator } from './firestore-emulators.ts';

declare global {
  var firestoreEmulator: FirestoreEmulator | undefined;
}

/** Tells the workers FIRESTORE_EMULATOR_HOST and FIRESTORE_EMULATOR_KIND (google, in-process, given). */
export default async function globalSetup(): Promise<void> {
  // Nothing here needs Google's credentials, and looking for some takes time.
  process.env.METADATA_SERVER_DETECTION = 'none';
  if (process.env.FIRESTORE_EMULATOR_HOST) {
    process.env.FIRESTORE_EMULATOR_KIND = 'given';
    say('from FIRESTORE_EMULATOR_HOST');
    return;
  }
  const google = await startGoogleFirestore();
  globalThis.firestoreEmulator = google ?? (await startInProcessFirestore());
  process.env.FIRESTORE_EMULATOR_HOST = globalThis.firestoreEmulator.host;
  process.env.FIRESTORE_EMULATOR_KIND = google === undefined ? 'in-process' : 'google';
  say(
    google === undefined
      ? "in-process (@firestore-emulator/server); install gcloud for Google's"
      : "Google's (gcloud)",
  );
}

function say(which: string): void {
  process.stdout.write(`Firestore emulator: ${which}\n`);
}
