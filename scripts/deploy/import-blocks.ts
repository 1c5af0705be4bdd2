// Resources that exist although the state lacks them, as an interrupted apply leaves them: blocks with which Terraform takes them over.
import { stripVTControlCharacters } from 'node:util';
import type { Plan } from './planned-losses.ts';

/** The ids that `import` takes, by type. `{name}` is an attribute. Types that are not here can be created twice. */
const IMPORT_IDS: Readonly<Record<string, string>> = {
  google_bigquery_dataset: 'projects/{project}/datasets/{dataset_id}',
  google_bigquery_table: 'projects/{project}/datasets/{dataset_id}/tables/{table_id}',
  google_cloud_run_v2_service: 'projects/{project}/locations/{location}/services/{name}',
  google_cloud_scheduler_job: 'projects/{project}/locations/{region}/jobs/{name}',
  google_cloudfunctions2_function: 'projects/{project}/locations/{location}/functions/{name}',
  google_firestore_database: 'projects/{project}/databases/{name}',
  google_firestore_document:
    'projects/{project}/databases/{database}/documents/{collection}/{document_id}',
  google_logging_metric: '{project} {name}',
  google_logging_project_sink: 'projects/{project}/sinks/{name}',
  google_secret_manager_secret: 'projects/{project}/secrets/{secret_id}',
  google_service_account:
    'projects/{project}/serviceAccounts/{account_id}@{project}.iam.gserviceaccount.com',
  google_storage_bucket: '{project}/{name}',
};

/** The addresses for which an apply has reported that they exist (409), from what it printed on standard error. */
export function existingIn(errors: string): string[] {
  return stripVTControlCharacters(errors)
    .split(/^[│╷ ]*Error: /m)
    .filter((error) =>
      /already (?:exists|own)|alreadyExists|ALREADY_EXISTS|bucket name is not available/i.test(
        error,
      ),
    )
    .flatMap((error) => /^[│ ]*with (.+),$/m.exec(error)?.[1] ?? []);
}

/** A file of Terraform in its JSON form. Throws for a resource that cannot be imported. */
export function importBlocks(addresses: readonly string[], plan: Plan): string {
  const project = plan.variables?.project_id?.value;
  const blocks = addresses.map((to) => {
    const planned = plan.resource_changes.find(({ address }) => address === to);
    const values: Record<string, unknown> = { ...planned?.change.after, project };
    const id = IMPORT_IDS[planned?.type ?? '']?.replaceAll(/\{(\w+)\}/g, (all, name: string) =>
      typeof values[name] === 'string' ? values[name] : all,
    );
    if (id === undefined || id.includes('{')) {
      throw new Error(`${to} exists already, and cannot be taken over: delete it, or rename it.`);
    }
    return { to, id };
  });
  return JSON.stringify({ import: blocks }, null, 2);
}
