// What the service on this machine is called; commands that talk to its emulators use the same names.
import { SETTINGS } from '../../functions/config.ts';

export const LOCAL = {
  project: 'local-project',
  dataset: SETTINGS.dataset.default,
  database: SETTINGS.firestoreDatabase.default,
} as const;
