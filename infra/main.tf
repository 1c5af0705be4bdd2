# Values that the other files share: the settings of the functions, and the Google APIs.

locals {
  # Default names and locations of a deployment, and what is fixed. The commands in scripts/ read the same file, in which
  # options have gcloud's names.
  defaults = jsondecode(file("${path.module}/defaults.json"))

  # What must be unique in a project. With `deployment`, other names that contain it; `names` overrides both.
  names = {
    for name, of_named in local.defaults.named_deployment : name =>
    coalesce(lookup(var.names, name, null), var.deployment == null ? local.defaults[name] : replace(of_named, "NAME", var.deployment))
  }
  # The table of the service's own request lines, as table.json names it, has another dataset in another deployment.
  own_tables = { for table in [local.defaults.requests.table] : "${local.defaults.requests_dataset}.${table}" => "${local.names.requests_dataset}.${table}" }

  label = var.deployment == null ? "" : " (${var.deployment})" # For what people read.

  region            = coalesce(var.region, local.defaults.region)
  bigquery_location = coalesce(var.bigquery_location, local.defaults.bigquery_location)

  place = {
    project_id         = var.project_id
    region             = local.region
    bigquery_dataset   = local.names.bigquery_dataset
    bigquery_location  = local.bigquery_location
    firestore_database = local.names.firestore_database
    keys_database      = local.names.keys_database
  }

  # The settings of functions/config.ts that no variable or resource provides, each with its default and bounds:
  # `npm run docs` writes the file. `settings` overrides the defaults.
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

  # What nothing else depends on, and with it everything.
  depends_on = [
    google_bigquery_dataset_iam_member.requests_writer,
    google_cloud_run_v2_service.public,
    google_cloud_scheduler_job.warm,
    google_cloudfunctions2_function.query,
    google_firestore_backup_schedule.keys,
    google_firestore_document.api_key,
    google_firestore_field.delete_at,
    google_firestore_field.last_read_at,
    google_firestore_field.unindexed,
    google_monitoring_alert_policy.alert,
    google_monitoring_alert_policy.uptime,
    google_monitoring_dashboard.service,
    google_project_iam_member.bigquery_jobs,
    google_project_iam_member.firestore,
    google_project_iam_member.keys_reader,
    google_secret_manager_secret_iam_member.api_key_reader,
    google_secret_manager_secret_version.api_key,
    terraform_data.access,
  ]
}

# Terraform only warns of a variable that does not exist, and a misspelt one would leave the default. Files of `-var-file` are not
# seen here; `npm run deploy` reads them too.
locals {
  variable_files = fileset(path.module, "{terraform.tfvars,terraform.tfvars.json,*.auto.tfvars,*.auto.tfvars.json}")
  stated = { for file in local.variable_files : file => keys(
    endswith(file, ".json") ? jsondecode(file("${path.module}/${file}")) : provider::terraform::decode_tfvars(file("${path.module}/${file}"))
  ) }
  declared       = flatten(regexall("(?m)^variable \"(\\w+)\"", file("${path.module}/variables.tf")))
  unknown_stated = [for file, names in local.stated : "${file} sets ${join(", ", setsubtract(names, local.declared))}, which is no variable." if length(setsubtract(names, local.declared)) > 0]
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
    command = "sleep $${PROPAGATION_SECONDS:-60}" # The tests set it to 0.
  }
}
