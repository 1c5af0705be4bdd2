// Default names and places of a deployment, and its constants, from the file that Terraform also reads.
import defaults from '../../infra/defaults.json' with { type: 'json' };

/** By the names of Terraform's variables; the options of the functions and of the job are gcloud's. */
export const DEPLOYMENT = defaults;

/** Settings that Terraform takes from its variables and resources, by name: the variable, and its default if any. */
export const DEPLOYED_BY: Readonly<Record<string, { variable: string; default?: string }>> = {
  GOOGLE_CLOUD_PROJECT: { variable: 'project_id' },
  BIGQUERY_DATASET: { variable: 'bigquery_dataset', default: defaults.bigquery_dataset },
  BIGQUERY_LOCATION: { variable: 'bigquery_location', default: defaults.bigquery_location },
  FIRESTORE_DATABASE: { variable: 'firestore_database', default: defaults.firestore_database },
  KEYS_DATABASE: { variable: 'keys_database', default: defaults.keys_database },
  SOURCE_TABLES: { variable: 'log_tables' },
};
