// Declares what a deployment by gcloud and bq is made from.
import type { Source } from '../sources/source.ts';

export interface GcloudDeployment {
  project: string;
  region: string;
  database: string;
  /** Where `query` looks API keys up, and may only read. */
  keysDatabase: string;
  dataset: string;
  datasetLocation: string;
  queryFunction: string;
  warmFunction: string;
  schedulerJob: string;
  /** Whether functions and a job of these names that others made are replaced. */
  replacesOthers: boolean;
  /** Settings that differ from their defaults, by the name of their variable. */
  settings: Readonly<Record<string, string>>;
  /** From where `query` takes requests. */
  queryIngress: Ingress;
  sources: readonly Source[];
  /** Existing tables, `project.dataset.table` by source; each gets a view, whatever its table.json says. */
  logTables: Readonly<Record<string, string>>;
  /** Projects beside `project` in which the deployment may let the functions read tables. */
  grantProjects: readonly string[];
  /** Days for which partitioned tables made here keep their rows. */
  logRetentionDays: number;
  /** The folder with the folders of the sources, as the commands see it. */
  sourcesDirectory: string;
  /** The folder that `npm run bundle` has made. */
  source: string;
}

export const INGRESS = ['all', 'internal-and-gclb', 'internal-only'] as const;
type Ingress = (typeof INGRESS)[number];
