# What the other files share: the settings of the functions and the Google APIs.

locals {
  # Names and places that a deployment has unless its variables say otherwise; the commands in scripts/ read the same file.
  defaults           = jsondecode(file("${path.module}/defaults.json"))
  region             = coalesce(var.region, local.defaults.region)
  bigquery_dataset   = coalesce(var.bigquery_dataset, local.defaults.bigquery_dataset)
  bigquery_location  = coalesce(var.bigquery_location, local.defaults.bigquery_location)
  firestore_database = coalesce(var.firestore_database, local.defaults.firestore_database)

  # Where query looks API keys up. Not the name in defaults.json by default: a deployment from before there was a database
  # of keys would look them up where they are not.
  keys_database = coalesce(var.keys_database, local.firestore_database)
  # Every database with the keys of api_keys in it: two while keys move.
  keys_databases = toset(compact([local.keys_database, var.keys_also_in]))

  # The settings of functions/config.ts that no variable or resource gives, with that file's defaults; a repository test
  # holds the two against each other. `settings` overrides them.
  setting_defaults = {
    MAX_BYTES_BILLED          = "10737418240"
    MAX_RESULT_MIB            = "8"
    MAX_READING_MIB           = "16"
    QUERY_TIMEOUT_SECONDS     = "25"
    FIRESTORE_TIMEOUT_SECONDS = "2"
    LEASE_SECONDS             = "10"
    MEMORY_CACHE_SECONDS      = "15"
    MEMORY_CACHE_MIB          = "64"
    KEY_CACHE_SECONDS         = "60"
    FORWARDED_FOR_POSITION    = "1"
    CORS_ORIGINS              = "*"
    CONSOLE                   = "off"
    LOG_LEVEL                 = "info"
    WARM_CONCURRENCY          = "8"
    WARM_BUDGET_SECONDS       = "280"
    WARM_MAX_ENTRIES          = "10000"
    WARM_MAX_ENTRIES_PER_KEY  = "2000"
  }

  # Both functions start from the same module, which reads the whole table, so both get the whole table.
  environment = merge(local.setting_defaults, var.settings, {
    NODE_ENV             = "production"
    GOOGLE_CLOUD_PROJECT = var.project_id
    BIGQUERY_DATASET     = google_bigquery_dataset.logs.dataset_id
    BIGQUERY_LOCATION    = google_bigquery_dataset.logs.location
    FIRESTORE_DATABASE   = google_firestore_database.store.name
    KEYS_DATABASE        = local.keys_database == local.firestore_database ? google_firestore_database.store.name : google_firestore_database.keys[local.keys_database].name
  })

  # Endpoints of the catalogue, only to catch misspelt names in api_keys.
  endpoints = [for file in fileset("${path.module}/../sql/endpoints", "*/endpoint.json") : dirname(file)]
}

resource "google_project_service" "enabled" {
  for_each = toset([
    "artifactregistry.googleapis.com",     # The images that the builds make.
    "bigquery.googleapis.com",             # The logs and the queries.
    "cloudbuild.googleapis.com",           # Builds the functions.
    "cloudfunctions.googleapis.com",       # The functions.
    "cloudresourcemanager.googleapis.com", # The grants on the project (iam.tf).
    "cloudscheduler.googleapis.com",       # Calls warm.
    "firestore.googleapis.com",            # Results, leases, keys.
    "iam.googleapis.com",                  # The service accounts.
    "logging.googleapis.com",              # Logs and log-based metrics.
    "monitoring.googleapis.com",           # Dashboard and alerts.
    "run.googleapis.com",                  # What the functions run on.
    "secretmanager.googleapis.com",        # Generated API keys.
    "storage.googleapis.com",              # The source bundle.
  ])

  service            = each.value
  disable_on_destroy = false # Other things in the project may use it.
}
