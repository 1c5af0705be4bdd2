# The scheduler job that calls warm every 300 seconds.

resource "google_cloud_scheduler_job" "warm" {
  name             = local.scheduler_job
  region           = local.region
  description      = "Refreshes the cached results of the saved queries."
  schedule         = "*/5 * * * *"
  time_zone        = "Etc/UTC"
  attempt_deadline = "295s" # After the function's timeout (290 s), before the next run.

  retry_config {
    # One retry. max_retry_duration is not set: with both, retries continue until both limits are reached.
    retry_count          = 1
    min_backoff_duration = "5s"
  }

  http_target {
    http_method = "POST"
    uri         = google_cloudfunctions2_function.warm.service_config[0].uri
    body        = base64encode("{}")
    headers     = { "Content-Type" = "application/json" }

    oidc_token {
      service_account_email = google_service_account.scheduler.email
      audience              = google_cloudfunctions2_function.warm.service_config[0].uri
    }
  }

  depends_on = [google_cloud_run_v2_service_iam_member.warm_scheduler]
}
