# The source bundle and the two functions made from it.

resource "google_storage_bucket" "source" {
  name                        = "${var.project_id}-saved-queries-source"
  location                    = local.region
  uniform_bucket_level_access = true
  public_access_prevention    = "enforced"
  force_destroy               = true # Bundles are rebuilt from the repository, byte for byte.

  depends_on = [google_project_service.enabled]
}

resource "google_storage_bucket_object" "source" {
  # The hash of the content is in the name: new code is a new object and a new revision, the same code is neither.
  name   = "function-${filesha256(var.source_zip)}.zip"
  bucket = google_storage_bucket.source.name
  source = var.source_zip

  deletion_policy = "ABANDON" # The bundles of earlier versions stay in the bucket, for a rollback.
}

resource "google_cloudfunctions2_function" "query" {
  name        = local.defaults.query_function
  location    = local.region
  description = "Saved query endpoints: answers from the cache, runs the query when it has to."

  build_config {
    runtime         = "nodejs24"
    entry_point     = "query"
    service_account = google_service_account.build.id

    source {
      storage_source {
        bucket = google_storage_bucket.source.name
        object = google_storage_bucket_object.source.name
      }
    }
  }

  service_config {
    service_account_email            = google_service_account.query.email
    environment_variables            = local.environment
    available_cpu                    = "1" # Less than a whole CPU allows one request at a time only.
    available_memory                 = "512Mi"
    max_instance_request_concurrency = 40 # A hit is a few milliseconds, a miss waits for BigQuery: little of either is CPU.
    min_instance_count               = var.query_min_instances
    max_instance_count               = var.query_max_instances
    timeout_seconds                  = 60
    ingress_settings                 = var.query_ingress
  }

  depends_on = [google_project_iam_member.build]
}

resource "google_cloudfunctions2_function" "warm" {
  name        = local.defaults.warm_function
  location    = local.region
  description = "Saved query endpoints: refreshes the results that somebody is still looking at."

  build_config {
    runtime         = "nodejs24"
    entry_point     = "warm"
    service_account = google_service_account.build.id

    source {
      storage_source {
        bucket = google_storage_bucket.source.name
        object = google_storage_bucket_object.source.name
      }
    }
  }

  service_config {
    service_account_email            = google_service_account.warm.email
    environment_variables            = local.environment
    available_cpu                    = "1"
    available_memory                 = "1Gi" # 10,000 results were seen to take 450 MiB.
    max_instance_request_concurrency = 1
    min_instance_count               = 0
    max_instance_count               = 1   # One run at a time; its lease sees to that in any case.
    timeout_seconds                  = 290 # Its own budget (280 s) < this < the scheduler's deadline (295 s) < the next run (300 s).
    ingress_settings                 = "ALLOW_INTERNAL_ONLY"
  }

  depends_on = [google_project_iam_member.build]
}
