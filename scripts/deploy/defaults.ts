// Default names and places of a deployment, and what is the same in all, from the file that Terraform reads too.
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
