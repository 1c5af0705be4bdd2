# Values that the other files share: the settings of the functions, and the Google APIs.

locals {
  # Default names and locations of a deployment. The commands in scripts/ read the same file.
  defaults           = jsondecode(file("${path.module}/defaults.json"))
  region             = coalesce(var.region, local.defaults.region)
  bigquery_dataset   = coalesce(var.bigquery_dataset, local.defaults.bigquery_dataset)
  bigquery_location  = coalesce(var.bigquery_location, local.defaults.bigquery_location)
  firestore_database = coalesce(var.firestore_database, local.defaults.firestore_database)
  keys_database      = coalesce(var.keys_database, local.defaults.keys_database)

  place = {
    project_id         = var.project_id
    region             = local.region
    bigquery_dataset   = local.bigquery_dataset
    bigquery_location  = local.bigquery_location
    firestore_database = local.firestore_database
    keys_database      = local.keys_database
  }

  # The settings of functions/config.ts that no variable or resource provides, with the same defaults as there:
  # test/infra.test.ts compares the two. `settings` overrides them.
  setting_defaults = {
    MAX_BYTES_BILLED          = "10737418240"
    MAX_RESULT_MIB            = "8"
    MAX_READING_MIB           = "16"
    MAX_UNREAD_MIB            = "64"
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

  # The least and the most of each number, as in functions/config.ts, less what the timeouts of the functions allow:
  # `query` must answer before it is stopped after 60 s, `warm` before 290 s.
  setting_ranges = {
    MAX_BYTES_BILLED          = [10485760, 9007199254740991]
    MAX_RESULT_MIB            = [1, 1024]
    MAX_READING_MIB           = [1, 16384]
    MAX_UNREAD_MIB            = [1, 16384]
    QUERY_TIMEOUT_SECONDS     = [1, 50]
    FIRESTORE_TIMEOUT_SECONDS = [1, 60]
    LEASE_SECONDS             = [1, 300]
    MEMORY_CACHE_SECONDS      = [0, 300]
    MEMORY_CACHE_MIB          = [1, 16384]
    KEY_CACHE_SECONDS         = [0, 60]
    FORWARDED_FOR_POSITION    = [1, 10]
    WARM_CONCURRENCY          = [1, 100]
    WARM_BUDGET_SECONDS       = [1, 280]
    WARM_MAX_ENTRIES          = [1, 1000000]
    WARM_MAX_ENTRIES_PER_KEY  = [1, 1000000]
  }

  # Both functions start from the same module, which reads all settings, so both get all of them.
  environment = merge(local.setting_defaults, var.settings, {
    NODE_ENV             = "production"
    GOOGLE_CLOUD_PROJECT = var.project_id
    BIGQUERY_DATASET     = google_bigquery_dataset.logs.dataset_id
    BIGQUERY_LOCATION    = google_bigquery_dataset.logs.location
    FIRESTORE_DATABASE   = google_firestore_database.store.name
    KEYS_DATABASE        = google_firestore_database.keys.name
  })

  # Names of the endpoints in alphabetical order, for the check of api_keys (keys.tf) and the output `example`.
  endpoints = [for file in fileset("${path.module}/../sql/endpoints", "*/endpoint.json") : dirname(file)]
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
  for_each = toset([
    "artifactregistry.googleapis.com",     # Holds the images that the builds make.
    "bigquery.googleapis.com",             # Holds the logs and runs the queries.
    "cloudbuild.googleapis.com",           # Builds the functions.
    "cloudfunctions.googleapis.com",       # Deploys the functions.
    "cloudresourcemanager.googleapis.com", # Makes the grants on the project (iam.tf).
    "cloudscheduler.googleapis.com",       # Calls warm.
    "firestore.googleapis.com",            # Holds results, leases and API keys.
    "iam.googleapis.com",                  # Makes the service accounts.
    "logging.googleapis.com",              # Holds the log and the log-based metrics.
    "monitoring.googleapis.com",           # Holds the dashboard and the alerts.
    "run.googleapis.com",                  # Runs the functions.
    "secretmanager.googleapis.com",        # Holds generated API keys.
    "storage.googleapis.com",              # Holds the source bundle.
  ])

  service            = each.value
  disable_on_destroy = false # Other software in the project may use it.
}
