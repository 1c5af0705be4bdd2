# Service accounts, and every grant with its reason.
#
# Applying this configuration requires the right to create the resources and roles/iam.serviceAccountUser on the three
# accounts below, because the functions and the job run as them. Project owners have both.

resource "google_service_account" "build" {
  account_id   = "${local.names.prefix}build"
  display_name = "Saved queries${local.label}: ${local.defaults.accounts.build}"
  depends_on   = [terraform_data.services]
}

resource "google_service_account" "query" {
  account_id   = "${local.names.prefix}query"
  display_name = "Saved queries${local.label}: ${local.defaults.accounts.query}"
  depends_on   = [terraform_data.services]
}

resource "google_service_account" "scheduler" {
  account_id   = "${local.names.prefix}scheduler"
  display_name = "Saved queries${local.label}: ${local.defaults.accounts.scheduler}"
  depends_on   = [terraform_data.services]
}

locals {
  # Both functions run as this account, because each reads the rows of queries that the other one has started: BigQuery shows
  # the result of a query to the account that ran it and to no other. The label `cause` distinguishes their jobs. A map, so that
  # the grants keep the addresses that they had with an account for each function.
  runtime_accounts  = { query = google_service_account.query.member }
  log_view_datasets = { for view in values(local.views) : "${view.project}.${view.dataset}" => view... }
}

# ---- build

# The build writes the image and the build log and reads the bundle, nothing else. Without an account of its own it
# would run as the Compute Engine default account, which has far too many roles or, in newer organisations, no role at all.
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

resource "terraform_data" "build_grants" {
  triggers_replace = [for grant in google_project_iam_member.build : "${grant.role} ${grant.member}"]

  provisioner "local-exec" {
    quiet   = true
    command = "sleep $${PROPAGATION_SECONDS:-60}" # A build without its rights fails, and its function with it.
  }
}

# ---- callers: IAM guards the Cloud Run service behind each function

# Everyone may call query, because the function itself checks the API key. An organisation policy (iam.allowedPolicyMemberDomains)
# may forbid this grant: with NO_INVOKER_CHECK, only the function's own account may call it, and callers reach the service of
# functions.tf. A change of the member ends one grant before it makes the other: BOTH is between the two.
resource "google_cloud_run_v2_service_iam_member" "query_public" {
  project  = var.project_id
  location = local.region
  name     = google_cloudfunctions2_function.query.name
  role     = "roles/run.invoker"
  member   = local.has_grant ? "allUsers" : google_service_account.query.member
}

# Only the scheduler job may call warm.
resource "google_cloud_run_v2_service_iam_member" "warm_scheduler" {
  project  = var.project_id
  location = local.region
  name     = google_cloudfunctions2_function.warm.name
  role     = "roles/run.invoker"
  member   = google_service_account.scheduler.member
}

# ---- BigQuery: run jobs and read the logs, write nothing

# The functions start query jobs and cancel their own. This role can be granted on a project only, and reads no data.
resource "google_project_iam_member" "bigquery_jobs" {
  for_each = local.runtime_accounts

  project = var.project_id
  role    = "roles/bigquery.jobUser"
  member  = each.value
}

# The functions read the tables and views of this dataset, and those that read_grants names.
resource "google_bigquery_dataset_iam_member" "logs_reader" {
  for_each = local.runtime_accounts

  dataset_id = google_bigquery_dataset.logs.dataset_id
  role       = "roles/bigquery.dataViewer"
  member     = each.value
}

# The views of this dataset are authorised to read the tables behind them, so the accounts of the functions need no rights
# there. The dataset is authorised instead of each view, because a view loses its authorisation when it changes. Only
# accounts that may write to this dataset can add a view, and those of the functions may not.
# Applying this requires ownership of the source dataset. Logflare replaces the access list of a dataset when its team
# changes, which removes this entry: the next apply restores it.
resource "google_bigquery_dataset_access" "log_views" {
  for_each = local.log_view_datasets

  project    = each.value[0].project
  dataset_id = each.value[0].dataset

  dataset { # An authorised dataset: its views may read the source dataset.
    target_types = ["VIEWS"]

    dataset {
      project_id = var.project_id
      dataset_id = google_bigquery_dataset.logs.dataset_id
    }
  }

  depends_on = [google_bigquery_dataset.requests, google_bigquery_table.log] # The latter as in functions.tf.
}

# The function warm reads the metadata of the tables behind the views, to see whether they have changed, but no rows. On a table
# this role allows tables.get; the partitions, in INFORMATION_SCHEMA, need a grant on the whole dataset. All other tables need
# no such grant: dataViewer, which the functions have on our dataset and on sources named dataset.table, reads metadata too.
resource "google_bigquery_table_iam_member" "metadata_reader" {
  for_each = local.metadata_grants

  project    = each.value.project
  dataset_id = each.value.dataset
  table_id   = each.value.table
  role       = "roles/bigquery.metadataViewer"
  member     = local.runtime_accounts.query

  depends_on = [google_bigquery_table.log, google_bigquery_table.requests] # As above.
}

# Queries name these tables in their own datasets. Applying this requires ownership of them.
resource "google_bigquery_table_iam_member" "source_reader" {
  for_each = { for key, grant in local.reader_grants : key => grant if grant.table != null }

  project    = each.value.project
  dataset_id = each.value.dataset
  table_id   = each.value.table
  role       = "roles/bigquery.dataViewer"
  member     = each.value.member

  depends_on = [google_bigquery_table.log] # As above.
}

# The same for shards: tomorrow's is a table that does not exist yet, so they may read its dataset.
resource "google_bigquery_dataset_iam_member" "source_reader" {
  for_each = { for key, grant in local.reader_grants : key => grant if grant.table == null }

  project    = each.value.project
  dataset_id = each.value.dataset
  role       = "roles/bigquery.dataViewer"
  member     = each.value.member

  depends_on = [google_bigquery_table.log] # As above.
}

locals {
  reader_grants = {
    for pair in setproduct([for name, grant in local.read_grants : name if grant.by_terraform], keys(local.runtime_accounts)) :
    join(" ", pair) => merge(local.read_grants[pair[0]], { member = local.runtime_accounts[pair[1]] })
  }
}

# The sink writes the request lines, and may write nothing else.
resource "google_bigquery_dataset_iam_member" "requests_writer" {
  count = local.has_requests ? 1 : 0

  dataset_id = google_bigquery_dataset.requests[0].dataset_id
  role       = "roles/bigquery.dataEditor"
  member     = google_logging_project_sink.requests[0].writer_identity
}

# Earlier deployments made these two grants as entries of the access list, which cannot be created again after an interruption. The
# entries stay, and are the same grants.
removed {
  from = google_bigquery_dataset_access.source_reader

  lifecycle {
    destroy = false
  }
}

removed {
  from = google_bigquery_dataset_access.requests_writer

  lifecycle {
    destroy = false
  }
}

# ---- Firestore

# The functions read and write results and leases, in this database only.
resource "google_project_iam_member" "firestore" {
  for_each = local.runtime_accounts

  project = var.project_id
  role    = "roles/datastore.user"
  member  = each.value

  condition {
    title       = "${local.names.prefix}database"
    description = "Only the database of the saved queries."
    expression  = "resource.name == \"projects/${var.project_id}/databases/${google_firestore_database.store.name}\""
  }
}

# Looks up API keys and may not write them: Terraform and operators create them. The code of warm reads no keys.
resource "google_project_iam_member" "keys_reader" {
  project = var.project_id
  role    = "roles/datastore.viewer"
  member  = google_service_account.query.member

  condition {
    title       = "${local.names.prefix}keys-database"
    description = "Only the database of the API keys."
    expression  = "resource.name == \"projects/${var.project_id}/databases/${google_firestore_database.keys.name}\""
  }
}

# ---- Secret Manager

# The readers of a generated API key may read its secret. The service itself knows only the hash of the key.
resource "google_secret_manager_secret_iam_member" "api_key_reader" {
  for_each = merge([
    for name, key in local.generated_keys : { for reader in key.readers : "${name} ${reader}" => { name = name, member = reader } }
  ]...)

  secret_id = google_secret_manager_secret.api_key[each.value.name].id
  role      = "roles/secretmanager.secretAccessor"
  member    = each.value.member
}
