// Names of the local service's project, dataset and database, shared with the commands that use its emulators.
import { SETTINGS } from '../../functions/config.ts';

export const LOCAL = {
  project: 'local-project',
  dataset: SETTINGS.dataset.default,
} as const;
