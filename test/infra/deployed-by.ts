// The settings that no deployment sets by `settings`.
import { DEPLOYMENT as defaults } from '../../scripts/deploy/defaults.ts';

/** Settings that Terraform takes from its variables and resources, by name: the variable, and its default if any. */
export const DEPLOYED_BY: Readonly<Record<string, { variable: string; default?: string }>> = {
  GOOGLE_CLOUD_PROJECT: { variable: 'project_id' },
  BIGQUERY_DATASET: { variable: 'names.bigquery_dataset', default: defaults.bigquery_dataset },
  BIGQUERY_LOCATION: { variable: 'bigquery_location', default: defaults.bigquery_location },
  FIRESTORE_DATABASE: {
    variable: 'names.firestore_database',
    default: defaults.firestore_database,
  },
  KEYS_DATABASE: { variable: 'names.keys_database', default: defaults.keys_database },
  SOURCE_TABLES: { variable: 'log_tables' },
};
