# Values that the other files share: the settings of the functions, and the Google APIs.

locals {
  # Default names and locations of a deployment, and what is fixed. The commands in scripts/ read the same file, in which
  # options have gcloud's names.
  defaults = jsondecode(file("${path.module}/defaults.json"))

  # What must be unique in a project. With `deployment`, other names that contain it.
  names = {
    for name, of_named in local.defaults.named_deployment :
    name => var.deployment == null ? local.defaults[name] : replace(of_named, "NAME", var.deployment)
  }
  # The table of the service's own request lines, as table.json names it, has another dataset in another deployment.
  own_tables = { for table in [local.defaults.requests.table] : "${local.defaults.requests_dataset}.${table}" => "${local.names.requests_dataset}.${table}" }

  label = var.deployment == null ? "" : " (${var.deployment})" # For what people read.

  region             = coalesce(var.region, local.defaults.region)
  bigquery_dataset   = coalesce(var.bigquery_dataset, local.names.bigquery_dataset)
  bigquery_location  = coalesce(var.bigquery_location, local.defaults.bigquery_location)
  firestore_database = coalesce(var.firestore_database, local.names.firestore_database)
  keys_database      = coalesce(var.keys_database, local.names.keys_database)
  query_function     = coalesce(var.query_function, local.names.query_function)
  warm_function      = coalesce(var.warm_function, local.names.warm_function)
  scheduler_job      = coalesce(var.scheduler_job, local.names.scheduler_job)

  place = {
    project_id         = var.project_id
    region             = local.region
    bigquery_dataset   = local.bigquery_dataset
    bigquery_location  = local.bigquery_location
    firestore_database = local.firestore_database
    keys_database      = local.keys_database
  }

  # The settings of functions/config.ts that no variable or resource provides, each with its default and bounds:
  # `npm run infra:settings` writes the file. `settings` overrides the defaults.
  known_settings   = jsondecode(file("${path.module}/settings.json"))
  setting_defaults = { for name, setting in local.known_settings : name => setting.default }

  # Lower than the code allows where the timeouts of the functions require it: `query` must answer before it is stopped
  # after 60 s, `warm` before 290 s.
  setting_ranges = merge(
    { for name, setting in local.known_settings : name => setting.range if can(setting.range) },
    { QUERY_TIMEOUT_SECONDS = [1, 50], WARM_BUDGET_SECONDS = [1, 280] },
  )

  # Both functions start from the same module, which reads all settings, so both get all of them.
  # `process_environment` is for Node.js and for glibc: with them, unused memory is returned to the system.
  # Empty ones count as absent, and are left out: if the API does not return them, every plan would change both functions.
  environment     = { for name, value in local.all_environment : name => value if value != "" }
  all_environment = merge(local.setting_defaults, var.deployment == null ? {} : { DEPLOYMENT = var.deployment }, var.settings, local.settings_of_resources, local.defaults.process_environment)
  settings_of_resources = {
    GOOGLE_CLOUD_PROJECT = var.project_id
    BIGQUERY_DATASET     = google_bigquery_dataset.logs.dataset_id
    BIGQUERY_LOCATION    = google_bigquery_dataset.logs.location
    FIRESTORE_DATABASE   = google_firestore_database.store.name
    KEYS_DATABASE        = google_firestore_database.keys.name
    SOURCE_TABLES        = local.source_tables
  }

  # Names of the endpoints in alphabetical order, for the check of api_keys (keys.tf) and the output `example`.
  endpoints = [for file in fileset("${var.sql_directory}/endpoints", "*/endpoint.json") : dirname(file)]
}

# Where a deployment is, as its first apply recorded it. A change would replace the databases and the dataset, and what
# hangs on them goes before Google refuses to delete them: so the plan is refused. Recorded when they exist, so that a first
# apply that failed can be repeated in another place.
resource "terraform_data" "place" {
  input = local.place

  depends_on = [google_bigquery_dataset.logs, google_firestore_database.store, google_firestore_database.keys]

  lifecycle {
    ignore_changes = [input]

    postcondition {
      condition     = self.output == local.place
      error_message = "The deployment in this state (workspace ${terraform.workspace}) has ${join(", ", [for name, value in self.output : "${name} = \"${value}\"" if value != local.place[name]])}. This cannot change in place, and nothing was changed. For another deployment, use another state. infra/README.md, \"Move or duplicate a deployment\", describes how to move this one."
    }
  }
}

# Refuses `destroy` while databases and tables are protected. It depends on everything, so it is destroyed first: without it,
# functions, secrets and keys are gone before Google refuses. (`prevent_destroy` would also refuse to end the protection.)
resource "terraform_data" "protection" {
  input = var.deletion_protection

  provisioner "local-exec" {
    when    = destroy
    quiet   = true
    command = self.output == true ? "echo 'This deployment is protected, and nothing was removed: set deletion_protection = false and apply first.' >&2; exit 1" : "exit 0"
  }

  depends_on = [
    google_bigquery_dataset.logs,
    google_bigquery_dataset.requests,
    google_bigquery_dataset_access.log_views,
    google_bigquery_dataset_access.requests_writer,
    google_bigquery_dataset_access.source_reader,
    google_bigquery_dataset_iam_member.logs_reader,
    google_bigquery_table.log,
    google_bigquery_table.log_view,
    google_bigquery_table.requests,
    google_bigquery_table_iam_member.metadata_reader,
    google_bigquery_table_iam_member.source_reader,
    google_cloud_run_v2_service.public,
    google_cloud_run_v2_service_iam_member.query_public,
    google_cloud_run_v2_service_iam_member.warm_scheduler,
    google_cloud_scheduler_job.warm,
    google_cloudfunctions2_function.query,
    google_cloudfunctions2_function.warm,
    google_firestore_backup_schedule.keys,
    google_firestore_database.keys,
    google_firestore_database.store,
    google_firestore_document.api_key,
    google_firestore_field.delete_at,
    google_firestore_field.last_read_at,
    google_firestore_field.part_body,
    google_firestore_field.unindexed,
    google_logging_metric.bytes_processed,
    google_logging_metric.question_bytes,
    google_logging_metric.requests,
    google_logging_metric.warm_entries_failed,
    google_logging_metric.warm_lag,
    google_logging_project_sink.requests,
    google_monitoring_alert_policy.alert,
    google_monitoring_alert_policy.uptime,
    google_monitoring_dashboard.service,
    google_monitoring_notification_channel.email,
    google_monitoring_uptime_check_config.health,
    google_project_iam_member.bigquery_jobs,
    google_project_iam_member.build,
    google_project_iam_member.firestore,
    google_project_iam_member.keys_reader,
    google_project_service.enabled,
    google_secret_manager_secret.api_key,
    google_secret_manager_secret_iam_member.api_key_reader,
    google_secret_manager_secret_version.api_key,
    google_service_account.build,
    google_service_account.query,
    google_service_account.scheduler,
    google_storage_bucket.source,
    google_storage_bucket_object.bundle,
    random_bytes.api_key,
    terraform_data.build_grants,
    terraform_data.place,
    terraform_data.services,
  ]
}

resource "google_project_service" "enabled" {
  # Each with its purpose.
  for_each = toset([for name in keys(local.defaults.services) : "${name}.googleapis.com"])

  service            = each.value
  disable_on_destroy = false # Other software in the project may use it.
}

# The APIs, once they are usable. Only an apply that enables an API waits.
resource "terraform_data" "services" {
  triggers_replace = sort(keys(google_project_service.enabled))

  provisioner "local-exec" {
    quiet   = true
    command = "sleep ${var.propagation_seconds}"
  }
}
