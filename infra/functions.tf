# The source bundle, and the two functions built from it.

resource "google_storage_bucket" "source" {
  name                        = "${var.project_id}-saved-queries-source"
  location                    = local.region
  uniform_bucket_level_access = true
  public_access_prevention    = "enforced"
  force_destroy               = true # The repository gives the same bundle again, byte for byte.

  depends_on = [terraform_data.services]
}

resource "google_storage_bucket_object" "bundle" {
  # The name contains the hash of the content: new code gets a new object and a new revision, unchanged code does not.
  name   = "function-${filesha256(var.source_zip)}.zip"
  bucket = google_storage_bucket.source.name
  source = var.source_zip

  deletion_policy = "ABANDON" # The bundles of earlier versions stay in the bucket, for a rollback.

  depends_on = [google_bigquery_table.log] # So that nothing is written if Google, or a protection, refuses to change a table.

  lifecycle {
    replace_triggered_by = [google_storage_bucket.source.time_created] # A new bucket of the same name is empty.
  }
}

resource "google_cloudfunctions2_function" "query" {
  name        = local.query_function
  location    = local.region
  description = "Saved query endpoints: answers from the cache, or runs the query."

  build_config {
    runtime         = "nodejs24"
    entry_point     = "query"
    service_account = google_service_account.build.id

    source {
      storage_source {
        bucket = google_storage_bucket.source.name
        object = google_storage_bucket_object.bundle.name
      }
    }
  }

  service_config {
    service_account_email            = google_service_account.query.email
    environment_variables            = local.environment
    available_cpu                    = "1" # Less than a whole CPU allows one request at a time only.
    available_memory                 = local.defaults.function_options.query.memory
    max_instance_request_concurrency = local.defaults.function_options.query.concurrency # A hit takes a few milliseconds and a miss waits for BigQuery: neither needs much CPU.
    min_instance_count               = var.query_min_instances
    max_instance_count               = var.query_max_instances
    timeout_seconds                  = trimsuffix(local.defaults.function_options.query.timeout, "s")
    ingress_settings                 = var.query_ingress
  }

  # The place, and all that the code reads in BigQuery, also with `-target`, as `npm run deploy` begins.
  depends_on = [
    google_bigquery_dataset_access.log_views,
    google_bigquery_dataset_access.source_reader,
    google_bigquery_dataset_iam_member.logs_reader,
    google_bigquery_table.log,
    google_bigquery_table.log_view,
    google_bigquery_table_iam_member.metadata_reader,
    google_bigquery_table_iam_member.source_reader,
    terraform_data.build_grants,
    terraform_data.place,
  ]
}

resource "google_cloudfunctions2_function" "warm" {
  name        = local.warm_function
  location    = local.region
  description = "Saved query endpoints: refreshes the results that were read recently."

  build_config {
    runtime         = "nodejs24"
    entry_point     = "warm"
    service_account = google_service_account.build.id

    source {
      storage_source {
        bucket = google_storage_bucket.source.name
        object = google_storage_bucket_object.bundle.name
      }
    }
  }

  service_config {
    service_account_email            = google_service_account.query.email
    environment_variables            = local.environment
    available_cpu                    = "1"
    available_memory                 = local.defaults.function_options.warm.memory # Warming 10,000 results was measured at 450 MiB.
    max_instance_request_concurrency = local.defaults.function_options.warm.concurrency
    min_instance_count               = local.defaults.function_options.warm.min-instances
    max_instance_count               = local.defaults.function_options.warm.max-instances            # One run at a time; the lease of a run ensures it too.
    timeout_seconds                  = trimsuffix(local.defaults.function_options.warm.timeout, "s") # WARM_BUDGET_SECONDS (280) < this < the scheduler's deadline (295) < the next run (300).
    ingress_settings                 = "ALLOW_INTERNAL_ONLY"
  }

  # As above.
  depends_on = [
    google_bigquery_dataset_access.log_views,
    google_bigquery_dataset_access.source_reader,
    google_bigquery_dataset_iam_member.logs_reader,
    google_bigquery_table.log,
    google_bigquery_table.log_view,
    google_bigquery_table_iam_member.metadata_reader,
    google_bigquery_table_iam_member.source_reader,
    terraform_data.build_grants,
    terraform_data.place,
  ]
}
