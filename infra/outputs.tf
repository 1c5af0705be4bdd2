# Values for the operator. No output contains a key.

output "api_key_secrets" {
  description = "Secret Manager secrets that hold the generated API keys, by the key's name."
  value       = { for name, secret in google_secret_manager_secret.api_key : name => secret.secret_id }
}

output "dataset" {
  description = "Dataset of the log sources: write logs to its tables."
  value       = "${var.project_id}.${google_bigquery_dataset.logs.dataset_id}"
}

output "deployment" {
  description = "Names and locations of the deployment, for npm run warm -- status --terraform infra."
  # More than before only where it is needed, so that the plan of an existing deployment has no change.
  value = merge(
    {
      project  = var.project_id
      location = local.region
      job      = local.names.scheduler_job
      database = local.names.firestore_database
    },
    var.deployment == null ? {} : { keysDatabase = local.names.keys_database },
    var.deployment == null && !local.has_service ? {} : { queryService = local.query_services[0] },
  )
}

locals {
  # The first endpoint, with the examples of its required parameters.
  example_endpoint = jsondecode(file("${var.sql_directory}/endpoints/${local.endpoints[0]}/endpoint.json"))
  example_query = join("&", [
    for name, parameter in local.example_endpoint.parameters : "${name}=${urlencode(parameter.example)}" if parameter.required
  ])
}

output "example" {
  description = "A first call: the first endpoint with the examples of its endpoint.json. Replace them by your own values. If no key is generated, set KEY to one of yours."
  value = format("curl --header \"X-API-KEY: %s\" \"%s/api/endpoints/query/%s?%s\"",
    length(local.generated_keys) == 0 ? "$KEY" : format("$(gcloud secrets versions access latest --project=%s --secret=%s)",
      var.project_id, values(google_secret_manager_secret.api_key)[0].secret_id,
    ),
    local.query_uri, local.example_endpoint.name, local.example_query,
  )
}

output "query_url" {
  description = "Base URL of the service: {query_url}/api/endpoints/query/{id or name}."
  value       = local.query_uri
}

output "read_grants" {
  description = "Commands, one per line, with which an owner lets the functions read tables in projects outside `grant_projects`. Public data needs none."
  value = join("\n", flatten([
    [for name, grant in local.read_grants : grant.table == null ? [
      format("bq --project_id=%s --location=%s query --use_legacy_sql=false 'GRANT `roles/bigquery.dataViewer` ON SCHEMA `%s` TO \"%s\"'",
      grant.project, local.bigquery_location, name, join("\", \"", values(local.runtime_accounts)))
      ] : [
      for member in values(local.runtime_accounts) :
      "bq --project_id=${grant.project} add-iam-policy-binding --member=${member} --role=roles/bigquery.dataViewer ${grant.project}:${grant.dataset}.${grant.table}"
    ] if !grant.by_terraform],
  ]))
}

output "runtime_service_accounts" {
  description = "Service accounts of query and warm, which are the same."
  value       = { query = google_service_account.query.email, warm = google_service_account.query.email }
}

output "scheduler_job" {
  description = "Scheduler job that calls warm. gcloud scheduler jobs run <job> --location=<region> starts a run."
  value       = google_cloud_scheduler_job.warm.name
}

output "signing_key_ids" {
  description = "The `kid` of the tokens of each key that signs, by the key's name: the backend that signs needs it."
  value       = length(local.signing_key_ids) == 0 ? null : local.signing_key_ids # No change of a plan without such keys.
}

output "warm_url" {
  description = "URL of warm; only the scheduler job may call it."
  value       = google_cloudfunctions2_function.warm.service_config[0].uri
}
