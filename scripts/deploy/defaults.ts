// Default names and places of a deployment, from the file that Terraform reads too.
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
} as const;
