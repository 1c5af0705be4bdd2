# The source bundle, and the two functions built from it.

resource "google_storage_bucket" "source" {
  name                        = "${var.project_id}-${local.names.prefix}source"
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

    # The image is used by the service below too, so it must have its base image in it; Google updates that with each deployment.
    dynamic "on_deploy_update_policy" {
      for_each = local.is_checked_by_iam ? [] : [true]

      content {}
    }

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
    ingress_settings                 = local.query_ingress
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

# The same code as a service without an invoker check, for `public_access`. A function cannot be without: its API and the provider
# have no field for it (hashicorp/terraform-provider-google, issue 23360). A service with `build_config` would not build its image
# (issues 22263 and 23057), so this one takes that of the function.
data "google_cloud_run_v2_service" "query" {
  count = local.is_checked_by_iam ? 0 : 1

  name     = google_cloudfunctions2_function.query.name
  location = local.region

  depends_on = [google_cloudfunctions2_function.query] # A change of the function may give another image.
}

resource "google_cloud_run_v2_service" "public" {
  count = local.is_checked_by_iam ? 0 : 1

  name                 = "${local.query_function}-public"
  location             = local.region
  description          = "Saved query endpoints: as the function ${local.query_function}, without an invoker check."
  ingress              = local.run_ingress[local.query_ingress]
  invoker_iam_disabled = true
  deletion_protection  = false # As the function, it holds nothing. `npm run deploy` refuses to delete it, since its URL would end.

  template {
    service_account                  = google_service_account.query.email
    timeout                          = local.defaults.function_options.query.timeout
    max_instance_request_concurrency = tonumber(local.defaults.function_options.query.concurrency)
    annotations                      = { bundle = google_storage_bucket_object.bundle.name } # A new revision for new code, should the image keep its name.

    scaling {
      min_instance_count = var.query_min_instances
      max_instance_count = var.query_max_instances
    }

    containers {
      image = data.google_cloud_run_v2_service.query[0].template[0].containers[0].image

      resources {
        limits   = { cpu = "1", memory = local.defaults.function_options.query.memory }
        cpu_idle = true
      }

      dynamic "env" {
        for_each = merge(local.environment, { FUNCTION_TARGET = "query" }) # As Google sets it for the function.

        content {
          name  = env.key
          value = env.value
        }
      }
    }
  }
}

locals {
  is_checked_by_iam = var.public_access == "ALL_USERS"
  query_ingress     = var.public_access == "LOAD_BALANCER" ? "ALLOW_INTERNAL_AND_GCLB" : var.query_ingress
  run_ingress = {
    ALLOW_ALL               = "INGRESS_TRAFFIC_ALL"
    ALLOW_INTERNAL_AND_GCLB = "INGRESS_TRAFFIC_INTERNAL_LOAD_BALANCER"
    ALLOW_INTERNAL_ONLY     = "INGRESS_TRAFFIC_INTERNAL_ONLY"
  }
  # What callers reach: the service behind the function, or the one above.
  query_service_name = local.is_checked_by_iam ? google_cloudfunctions2_function.query.name : google_cloud_run_v2_service.public[0].name
  query_uri          = local.is_checked_by_iam ? google_cloudfunctions2_function.query.service_config[0].uri : google_cloud_run_v2_service.public[0].uri
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
