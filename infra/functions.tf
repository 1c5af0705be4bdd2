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
  name   = "function-${try(filesha256(local.bundle), "missing")}.zip"
  bucket = google_storage_bucket.source.name
  source = local.bundle

  deletion_policy = "ABANDON" # The bundles of earlier versions stay in the bucket, for a rollback.

  depends_on = [google_bigquery_table.log] # So that nothing is written if Google, or a protection, refuses to change a table.

  lifecycle {
    replace_triggered_by = [google_storage_bucket.source.time_created] # A new bucket of the same name is empty.

    precondition {
      condition     = fileexists(local.bundle)
      error_message = "There is no dist/function.zip: run `npm run bundle` first."
    }
  }
}

resource "google_cloudfunctions2_function" "query" {
  name        = local.names.query_function
  location    = local.region
  description = "Saved query endpoints: answers from the cache, or runs the query."

  build_config {
    runtime         = "nodejs24"
    entry_point     = "query"
    service_account = google_service_account.build.id

    # The image is used by the service below too, so it must have its base image in it; Google updates that with each deployment.
    dynamic "on_deploy_update_policy" {
      for_each = local.has_service ? [true] : []

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
    min_instance_count               = local.has_grant ? var.query_min_instances : 0     # Without callers, an instance would only cost.
    max_instance_count               = var.query_max_instances
    timeout_seconds                  = trimsuffix(local.defaults.function_options.query.timeout, "s")
    ingress_settings                 = var.query_ingress
  }

  # The place, and all that the code reads in BigQuery, also with `-target`, as `npm run deploy` begins.
  depends_on = [
    google_bigquery_dataset_access.log_views,
    google_bigquery_dataset_iam_member.source_reader,
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
  count = local.has_service ? 1 : 0

  name     = google_cloudfunctions2_function.query.name
  location = local.region

  depends_on = [google_cloudfunctions2_function.query] # A change of the function may give another image.
}

resource "google_cloud_run_v2_service" "public" {
  count = local.has_service ? 1 : 0

  name                 = "${local.names.query_function}-public"
  location             = local.region
  description          = "Saved query endpoints: as the function ${local.names.query_function}, without an invoker check."
  ingress              = local.run_ingress[var.query_ingress]
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
  bundle      = "../dist/function.zip" # Terraform runs in this directory.
  has_grant   = var.public_access != "NO_INVOKER_CHECK"
  has_service = var.public_access != "ALL_USERS"
  run_ingress = {
    ALLOW_ALL               = "INGRESS_TRAFFIC_ALL"
    ALLOW_INTERNAL_AND_GCLB = "INGRESS_TRAFFIC_INTERNAL_LOAD_BALANCER"
    ALLOW_INTERNAL_ONLY     = "INGRESS_TRAFFIC_INTERNAL_ONLY"
  }
  # What callers reach: the service behind the function, the one above, or both.
  query_services = concat(local.has_service ? [google_cloud_run_v2_service.public[0].name] : [], local.has_grant ? [google_cloudfunctions2_function.query.name] : [])
  query_uri      = local.has_service ? google_cloud_run_v2_service.public[0].uri : google_cloudfunctions2_function.query.service_config[0].uri
}

# From one way to the other, callers would have no address in between: Terraform ends a grant before it creates a service. So the way
# that is in use is recorded, and only BOTH, which records nothing, leads to another one.
resource "terraform_data" "access" {
  count = var.public_access == "BOTH" ? 0 : 1

  input = var.public_access

  lifecycle {
    ignore_changes = [input]

    postcondition {
      condition     = self.output == var.public_access
      error_message = "public_access cannot go from ${self.output} to ${var.public_access} at once, and nothing was changed: deploy BOTH first, and give callers the new address."
    }
  }
}

resource "google_cloudfunctions2_function" "warm" {
  name        = local.names.warm_function
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
    google_bigquery_dataset_iam_member.source_reader,
    google_bigquery_dataset_iam_member.logs_reader,
    google_bigquery_table.log,
    google_bigquery_table.log_view,
    google_bigquery_table_iam_member.metadata_reader,
    google_bigquery_table_iam_member.source_reader,
    terraform_data.build_grants,
    terraform_data.place,
  ]
}
