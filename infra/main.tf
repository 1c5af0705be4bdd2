# Values that the other files share: the settings of the functions, and the Google APIs.

locals {
  # Default names and locations of a deployment, and what never differs. The commands in scripts/ read the same file, in which
  # options have gcloud's names.
  defaults           = jsondecode(file("${path.module}/defaults.json"))
  region             = coalesce(var.region, local.defaults.region)
  bigquery_dataset   = coalesce(var.bigquery_dataset, local.defaults.bigquery_dataset)
  bigquery_location  = coalesce(var.bigquery_location, local.defaults.bigquery_location)
  firestore_database = coalesce(var.firestore_database, local.defaults.firestore_database)
  keys_database      = coalesce(var.keys_database, local.defaults.keys_database)
  query_function     = coalesce(var.query_function, local.defaults.query_function)
  warm_function      = coalesce(var.warm_function, local.defaults.warm_function)
  scheduler_job      = coalesce(var.scheduler_job, local.defaults.scheduler_job)

  place = {
    project_id         = var.project_id
    region             = local.region
    bigquery_dataset   = local.bigquery_dataset
    bigquery_location  = local.bigquery_location
    firestore_database = local.firestore_database
    keys_database      = local.keys_database
  }

  # The settings of functions/config.ts that no variable or resource provides, each with its default and what it may be:
  # `npm run infra:settings` writes the file. `settings` overrides the defaults.
  known_settings   = jsondecode(file("${path.module}/settings.json"))
  setting_defaults = { for name, setting in local.known_settings : name => setting.default }

  # Less than the code takes where the timeouts of the functions allow less: `query` must answer before it is stopped
  # after 60 s, `warm` before 290 s.
  setting_ranges = merge(
    { for name, setting in local.known_settings : name => setting.range if can(setting.range) },
    { QUERY_TIMEOUT_SECONDS = [1, 50], WARM_BUDGET_SECONDS = [1, 280] },
  )

  # Both functions start from the same module, which reads all settings, so both get all of them.
  # `process_environment` is for Node.js and for glibc: with them, memory that is not used any more goes back to the system.
  environment = merge(local.setting_defaults, var.settings, local.settings_of_resources, local.defaults.process_environment)
  settings_of_resources = {
    GOOGLE_CLOUD_PROJECT = var.project_id
    BIGQUERY_DATASET     = google_bigquery_dataset.logs.dataset_id
    BIGQUERY_LOCATION    = google_bigquery_dataset.logs.location
    FIRESTORE_DATABASE   = google_firestore_database.store.name
    KEYS_DATABASE        = google_firestore_database.keys.name
  }

  # Names of the endpoints in alphabetical order, for the check of api_keys (keys.tf) and the output `example`.
  endpoints = [for file in fileset("${var.sql_directory}/endpoints", "*/endpoint.json") : dirname(file)]
}

# Where a deployment is, as its first apply recorded it. A change would replace the databases and the dataset, and what
# hangs on them goes before Google refuses to delete them: so the plan is refused.
resource "terraform_data" "place" {
  input = local.place

  lifecycle {
    ignore_changes = [input]

    postcondition {
      condition     = self.output == local.place
      error_message = "This state is of a deployment with ${join(", ", [for name, value in self.output : "${name} = \"${value}\"" if value != local.place[name]])}, which cannot change in it: README.md, \"Change the place\"."
    }
  }
}

resource "google_project_service" "enabled" {
  # With what each is for.
  for_each = toset([for name in keys(local.defaults.services) : "${name}.googleapis.com"])

  service            = each.value
  disable_on_destroy = false # Other software in the project may use it.
}
