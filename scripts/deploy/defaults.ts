// The inputs of a deployment, and their defaults from the file that Terraform also reads.
import defaults from '../../infra/defaults.json' with { type: 'json' };
import type { Source } from '../sources/read-sources.ts';

/** By the names of Terraform's variables; the options of the functions and of the job are gcloud's. */
export const DEPLOYMENT = defaults;

/** Names of files and of workspaces that have another meaning, and one that would make the service `query-public` twice. */
const RESERVED = ['default', 'example', 'public', 'terraform'];

/** Why a deployment cannot have this name, as infra/variables.tf says. */
export function faultOfName(name: string): string | undefined {
  if (RESERVED.includes(name)) return `cannot be ${name}, which has another meaning.`;
  if (/^[a-z][a-z0-9]{0,15}$/.test(name)) return undefined;
  return 'must be 1 to 16 lower-case letters and digits, starting with a letter.';
}

/** What must be unique in a project, by the names of Terraform. */
export type Names = Record<keyof typeof defaults.named_deployment, string>;

/** As in infra/main.tf; without a name those of the only deployment of a project. */
export function namesOf(deployment?: string | null): Names {
  if (!deployment) return defaults;
  const names = Object.entries(defaults.named_deployment);
  return Object.fromEntries(
    names.map(([name, text]) => [name, text.replace('NAME', deployment)]),
  ) as Names;
}

/** The name of a function and of its Cloud Run service. */
const FUNCTION = /^[a-z]([a-z0-9-]{0,47}[a-z0-9])?$/;
/** Firestore refuses a name like a UUID. */
const DATABASE =
  /^(?![0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$)(\(default\)|[a-z][a-z0-9-]{2,61}[a-z0-9])$/;
const REGIONS = defaults.regions.join('|');
/** Allowed names and places, by their options; `query` may only read `keysDatabase`. */
export const NAMES = {
  project: /^[a-z][a-z0-9-]{4,28}[a-z0-9]$/,
  region: new RegExp(`^(${REGIONS})$`),
  database: DATABASE,
  keysDatabase: DATABASE,
  dataset: /^\w{1,1024}$/,
  datasetLocation: new RegExp(`^(EU|US|${REGIONS})$`),
  queryFunction: FUNCTION,
  warmFunction: FUNCTION,
  schedulerJob: /^[\w-]{1,500}$/,
};

export interface GcloudDeployment extends Record<keyof typeof NAMES, string> {
  /** Whether functions and a job with these names that others created are replaced. */
  replacesOthers: boolean;
  /** Settings that differ from their defaults, by the name of their variable. */
  settings: Readonly<Record<string, string>>;
  /** Its name, if the project has another one. */
  deployment?: string | undefined;
  /** How callers reach `query`; see infra/variables.tf. */
  publicAccess: PublicAccess;
  /** The networks from which `query` accepts requests. */
  queryIngress: Ingress;
  sources: readonly Source[];
  /** Existing tables, `project.dataset.table` by source; each gets a view, which overrides its table.json. */
  logTables: Readonly<Record<string, string>>;
  /** Projects other than `project` in which the deployment may let the functions read tables. */
  grantProjects: readonly string[];
}

export const INGRESS = ['all', 'internal-and-gclb', 'internal-only'] as const;
type Ingress = (typeof INGRESS)[number];

export const PUBLIC_ACCESS = ['all-users', 'no-invoker-check'] as const;
type PublicAccess = (typeof PUBLIC_ACCESS)[number];
