// Default names and places of a deployment, and its constants, from the file that Terraform also reads.
import defaults from '../../infra/defaults.json' with { type: 'json' };

export const DEPLOYMENT = {
  region: defaults.region,
  dataset: defaults.bigquery_dataset,
  datasetLocation: defaults.bigquery_location,
  database: defaults.firestore_database,
  keysDatabase: defaults.keys_database,
  queryFunction: defaults.query_function,
  warmFunction: defaults.warm_function,
  schedulerJob: defaults.scheduler_job,
  processEnvironment: defaults.process_environment,
  /** The options of the functions and of the job as gcloud's. */
  functionOptions: defaults.function_options,
  schedule: defaults.schedule,
  /** What each account does. */
  accounts: defaults.accounts,
  services: Object.keys(defaults.services).map((name) => `${name}.googleapis.com`),
  collectionsWithTtl: defaults.collections_with_ttl,
  unindexedFields: defaults.unindexed_fields,
} as const;

/** Settings that Terraform takes from its variables and resources, by name: the variable, and its default if any. */
export const DEPLOYED_BY: Readonly<Record<string, { variable: string; default?: string }>> = {
  GOOGLE_CLOUD_PROJECT: { variable: 'project_id' },
  BIGQUERY_DATASET: { variable: 'bigquery_dataset', default: defaults.bigquery_dataset },
  BIGQUERY_LOCATION: { variable: 'bigquery_location', default: defaults.bigquery_location },
  FIRESTORE_DATABASE: { variable: 'firestore_database', default: defaults.firestore_database },
  KEYS_DATABASE: { variable: 'keys_database', default: defaults.keys_database },
  SOURCE_TABLES: { variable: 'log_tables' },
};
