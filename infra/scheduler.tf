# The scheduler job that calls warm every 300 seconds.

resource "google_cloud_scheduler_job" "warm" {
  name             = local.names.scheduler_job
  region           = local.region
  description      = "Refreshes the cached results of the saved queries."
  schedule         = local.defaults.schedule.schedule
  time_zone        = local.defaults.schedule.time-zone
  attempt_deadline = local.defaults.schedule.attempt-deadline # After the function's timeout (290 s), before the next run.

  retry_config {
    # One retry. max_retry_duration is not set: with both, retries continue until both limits are reached.
    retry_count          = local.defaults.schedule.max-retry-attempts
    min_backoff_duration = local.defaults.schedule.min-backoff
  }

  http_target {
    http_method = local.defaults.schedule.http-method
    uri         = google_cloudfunctions2_function.warm.service_config[0].uri
    body        = base64encode(local.defaults.schedule.message-body)
    headers     = { "Content-Type" = "application/json" }

    oidc_token {
      service_account_email = google_service_account.scheduler.email
      audience              = google_cloudfunctions2_function.warm.service_config[0].uri
    }
  }

  depends_on = [google_cloud_run_v2_service_iam_member.warm_scheduler]
}
