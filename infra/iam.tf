# Identities, and every grant with its reason.
#
# Who applies this needs, beside the right to make the resources, roles/iam.serviceAccountUser on the four accounts below:
# functions and job are created to run as them. Project owners have it.

resource "google_service_account" "build" {
  account_id   = "saved-queries-build"
  display_name = "Saved queries: builds the functions"
  depends_on   = [google_project_service.enabled]
}

resource "google_service_account" "query" {
  account_id   = "saved-queries-query"
  display_name = "Saved queries: runs query"
  depends_on   = [google_project_service.enabled]
}

resource "google_service_account" "warm" {
  account_id   = "saved-queries-warm"
  display_name = "Saved queries: runs warm"
  depends_on   = [google_project_service.enabled]
}

resource "google_service_account" "scheduler" {
  account_id   = "saved-queries-scheduler"
  display_name = "Saved queries: calls warm"
  depends_on   = [google_project_service.enabled]
}

locals {
  # Both run queries and keep results, each as itself, so that logs and job history tell them apart. What differs: anyone
  # may call query, only the scheduler may call warm.
  runtime_accounts = {
    query = google_service_account.query.member
    warm  = google_service_account.warm.member
  }
}

# ---- build

# What a build needs, and no more. Left unset, a build runs as the Compute Engine default account, which has either far too
# many roles or, in newer organisations, none.
resource "google_project_iam_member" "build" {
  for_each = toset([
    "roles/artifactregistry.writer", # Stores the image, in a repository that Google makes.
    "roles/logging.logWriter",       # Writes the build log.
    "roles/storage.objectViewer",    # Reads the bundle, from a bucket to which Google copies it.
  ])

  project = var.project_id
  role    = each.value
  member  = google_service_account.build.member
}

# ---- who may call what: the Cloud Run service behind a function is what IAM guards

# Anyone may reach query: the service itself checks the API key. An organisation policy (iam.allowedPolicyMemberDomains)
# may forbid this grant.
resource "google_cloud_run_v2_service_iam_member" "query_public" {
  project  = var.project_id
  location = local.region
  name     = google_cloudfunctions2_function.query.name
  role     = "roles/run.invoker"
  member   = "allUsers"
}

# The scheduler job calls warm, and nobody else does.
resource "google_cloud_run_v2_service_iam_member" "warm_scheduler" {
  project  = var.project_id
  location = local.region
  name     = google_cloudfunctions2_function.warm.name
  role     = "roles/run.invoker"
  member   = google_service_account.scheduler.member
}

# ---- BigQuery: run jobs, read the logs, write nothing

# Starts the query jobs and cancels its own; the role exists on projects only and reads no data.
resource "google_project_iam_member" "bigquery_jobs" {
  for_each = local.runtime_accounts

  project = var.project_id
  role    = "roles/bigquery.jobUser"
  member  = each.value
}

# Reads the log tables and views of this dataset, and no others.
resource "google_bigquery_dataset_iam_member" "logs_reader" {
  for_each = local.runtime_accounts

  dataset_id = google_bigquery_dataset.logs.dataset_id
  role       = "roles/bigquery.dataViewer"
  member     = each.value
}

# The views of the dataset read the tables of log_tables in their own right, so the runtime accounts need nothing there.
# The whole dataset is authorised and not each view, because a changed view loses its authorisation and a dataset does not;
# only who may write to this dataset could add a view, and the runtime accounts may not.
# Whoever applies must be an owner of the source dataset. Logflare replaces a dataset's whole access list when its team
# changes, and this entry goes with it: the next apply puts it back.
resource "google_bigquery_dataset_access" "log_views" {
  for_each = var.authorize_log_views ? local.log_view_datasets : {}

  project    = each.value[0].project
  dataset_id = each.value[0].dataset

  dataset { # An authorised dataset, of which the views may read.
    target_types = ["VIEWS"]

    dataset {
      project_id = var.project_id
      dataset_id = google_bigquery_dataset.logs.dataset_id
    }
  }
}

# ---- Firestore

# Reads and writes results and leases, in this one database; API keys too, where they share it (keys_database).
resource "google_project_iam_member" "firestore" {
  for_each = local.runtime_accounts

  project = var.project_id
  role    = "roles/datastore.user"
  member  = each.value

  condition {
    title       = "saved-queries-database"
    description = "Only the database of the saved queries."
    expression  = "resource.name == \"projects/${var.project_id}/databases/${google_firestore_database.store.name}\""
  }
}

# Looks up API keys and may not write them: they come from Terraform and from operators. warm needs none.
resource "google_project_iam_member" "keys_reader" {
  for_each = google_firestore_database.keys

  project = var.project_id
  role    = "roles/datastore.viewer"
  member  = google_service_account.query.member

  condition {
    title       = "saved-queries-keys-database"
    description = "Only the database of the API keys."
    expression  = "resource.name == \"projects/${var.project_id}/databases/${each.value.name}\""
  }
}

# ---- Secret Manager

# Reads one generated API key: the caller that the key was made for. The service itself knows only the key's hash.
resource "google_secret_manager_secret_iam_member" "api_key_reader" {
  for_each = merge([
    for name, key in local.generated_keys : { for reader in key.readers : "${name} ${reader}" => { name = name, member = reader } }
  ]...)

  secret_id = google_secret_manager_secret.api_key[each.value.name].id
  role      = "roles/secretmanager.secretAccessor"
  member    = each.value.member
}
