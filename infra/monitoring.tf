# Log-based metrics, the dashboard and the alerts.
#
# The service logs one JSON line per request (event "request"), per run of warm ("warm") and per entry that warm could not
# refresh ("warm_entry_failed"). The log-based metrics count these lines. The alerts use log lines or built-in metrics of
# Google Cloud: a log-based metric exists only some minutes after its definition, and until then an alert on it cannot be
# created.

locals {
  metric_prefix = replace(local.names.prefix, "-", "_")

  # Filters that metrics, charts and alerts share. Only lists of services differ between Logging (lines) and Monitoring.
  run           = "resource.type=\"cloud_run_revision\" AND resource.labels.service_name="
  listed        = [for name in local.query_services : "\"${name}\""]
  query_lines   = "${local.run}${length(local.listed) == 1 ? local.listed[0] : "(${join(" OR ", local.listed)})"}"
  query_service = "${local.run}${length(local.listed) == 1 ? local.listed[0] : "one_of(${join(",", local.listed)})"}"
  warm_service  = "${local.run}\"${google_cloudfunctions2_function.warm.name}\""

  query_requests  = "${local.query_service} AND metric.type=\"run.googleapis.com/request_count\""
  query_latencies = "${local.query_service} AND metric.type=\"run.googleapis.com/request_latencies\""
  warm_requests   = "${local.warm_service} AND metric.type=\"run.googleapis.com/request_count\""

  # Two metrics count bytes billed. This one is available within minutes, query/scanned_bytes_billed after six hours.
  bytes_billed = "resource.type=\"bigquery_project\" AND metric.type=\"bigquery.googleapis.com/query/statement_scanned_bytes_billed\""
}

# ---- log-based metrics

locals {
  # Each: its description, the lines that it counts, the field of a line that it takes (value), its unit, buckets and labels. A metric
  # takes its value from one field of a line.
  metrics = {
    requests = {
      name        = "requests"
      description = "Requests by endpoint and outcome (hit, memory_hit, miss, collapsed or expired; empty if the request failed)."
      filter      = "${local.query_lines} AND jsonPayload.event=\"request\""
      labels      = { endpoint = "Name of the endpoint; empty if the request named none.", outcome = "Source of the answer." }
    }
    bytes_processed = {
      name        = "bytes processed"
      description = "Bytes processed by BigQuery: per request that ran a query, and per run of warm."
      # The lines of both functions that state bytes: requests that ran a query, and runs of warm.
      filter  = "${local.run}(${join(" OR ", concat(local.listed, ["\"${google_cloudfunctions2_function.warm.name}\""]))}) AND jsonPayload.event=(\"request\" OR \"warm\") AND jsonPayload.bytesProcessed>0"
      value   = "bytesProcessed"
      unit    = "By"
      buckets = local.byte_buckets
      labels  = { endpoint = "Name of the endpoint; empty for warm, which runs many.", event = "request or warm." }
    }
    question_bytes = {
      name        = "bytes processed to detect changed tables"
      description = "Bytes processed by the jobs with which a warming run detects changed tables."
      filter      = "${local.warm_service} AND jsonPayload.event=\"warm\" AND jsonPayload.questionBytes>0"
      value       = "questionBytes"
      unit        = "By"
      buckets     = local.byte_buckets
    }
    warm_lag = {
      name        = "warm lag"
      description = "Age of the oldest live result at the start of a warming run. Above 900 s, a caller has waited for BigQuery."
      filter      = "${local.warm_service} AND jsonPayload.event=\"warm\" AND jsonPayload.maxAgeSeconds>=0"
      value       = "maxAgeSeconds"
      unit        = "s"
      buckets     = { linear = { offset = 0, width = 60, num_finite_buckets = 60 } } # Minutes, up to an hour.
    }
    warm_entries_failed = {
      name        = "results not refreshed"
      description = "Results that warm could not refresh, by endpoint and reason."
      filter      = "${local.warm_service} AND jsonPayload.event=\"warm_entry_failed\""
      labels      = { endpoint = "Name of the endpoint.", reason = "Reason of the error." }
    }
  }
  byte_buckets = { exponential = { scale = 1048576, growth_factor = 4, num_finite_buckets = 13 } } # 1 MiB to 64 TiB.
}

resource "google_logging_metric" "metric" {
  for_each = local.metrics

  name             = "${local.metric_prefix}${each.key}"
  description      = each.value.description
  filter           = each.value.filter
  value_extractor  = can(each.value.value) ? "EXTRACT(jsonPayload.${each.value.value})" : null
  label_extractors = can(each.value.labels) ? { for label in keys(each.value.labels) : label => "EXTRACT(jsonPayload.${label})" } : null

  metric_descriptor {
    metric_kind  = "DELTA"
    value_type   = can(each.value.value) ? "DISTRIBUTION" : "INT64"
    unit         = try(each.value.unit, "1")
    display_name = "Saved queries${local.label}: ${each.value.name}"

    dynamic "labels" {
      for_each = try(each.value.labels, {})

      content {
        key         = labels.key
        value_type  = "STRING"
        description = labels.value
      }
    }
  }

  dynamic "bucket_options" {
    for_each = try([each.value.buckets], [])

    content {
      dynamic "exponential_buckets" {
        for_each = try([bucket_options.value.exponential], [])

        content {
          scale              = exponential_buckets.value.scale
          growth_factor      = exponential_buckets.value.growth_factor
          num_finite_buckets = exponential_buckets.value.num_finite_buckets
        }
      }
      dynamic "linear_buckets" {
        for_each = try([bucket_options.value.linear], [])

        content {
          offset             = linear_buckets.value.offset
          width              = linear_buckets.value.width
          num_finite_buckets = linear_buckets.value.num_finite_buckets
        }
      }
    }
  }

  depends_on = [terraform_data.services]
}

moved {
  from = google_logging_metric.requests
  to   = google_logging_metric.metric["requests"]
}

moved {
  from = google_logging_metric.bytes_processed
  to   = google_logging_metric.metric["bytes_processed"]
}

moved {
  from = google_logging_metric.question_bytes
  to   = google_logging_metric.metric["question_bytes"]
}

moved {
  from = google_logging_metric.warm_lag
  to   = google_logging_metric.metric["warm_lag"]
}

moved {
  from = google_logging_metric.warm_entries_failed
  to   = google_logging_metric.metric["warm_entries_failed"]
}

# ---- dashboard

# dashboard.json has the charts. In a row are two. The API leaves out a position of 0, and the file too: otherwise each plan would show
# a change. PromQL adds up the values of a distribution, which a filter cannot.
resource "google_monitoring_dashboard" "service" {
  dashboard_json = jsonencode(jsondecode(templatefile("${path.module}/dashboard.json", {
    label     = local.label
    metrics   = { for name, metric in google_logging_metric.metric : name => metric.name }
    latencies = replace(local.query_latencies, "\"", "\\\"")
    errors    = replace("${local.query_requests} AND metric.labels.response_code_class=one_of(\"4xx\",\"5xx\")", "\"", "\\\"")
    billed    = replace(local.bytes_billed, "\"", "\\\"")
  })))

  depends_on = [terraform_data.services]
}

# ---- alerts

resource "google_monitoring_notification_channel" "email" {
  for_each = toset(var.alert_emails)

  display_name = "Saved query endpoints${local.label}: ${each.value}"
  type         = "email"
  labels       = { email_address = each.value }

  depends_on = [terraform_data.services]

  lifecycle {
    create_before_destroy = true # Google refuses to delete a channel that an alert names: the alerts are changed first.
  }
}

# Each alert: its conditions, and what to do, in Markdown. A condition is one of
# - `log`: a line of the log;
# - `absent`: a filter of which nothing is counted for 15 minutes;
# - `above`: more than this is counted by `filter` within `period`, or as a share of what `share_of` counts.
locals {
  alert_channels = concat([for channel in google_monitoring_notification_channel.email : channel.id], var.notification_channels)

  thresholds = merge(local.defaults.alert_thresholds, var.alert_thresholds)
  # As the names of alerts and conditions say them. Words, as before there was a variable: other names would be a change.
  percent = { for name, value in local.thresholds : name => format("%.4g", value * 100) }
  counted = { for name, value in local.thresholds : name => lookup({ "3" = "three", "5" = "five", "20" = "twenty" }, tostring(value), tostring(value)) }

  alerts = {
    warm_not_succeeding = {
      name     = "warm has not succeeded for 15 minutes"
      severity = "ERROR"
      # The first condition needs an earlier success. If warm fails from the first run on, the second condition is met.
      conditions = [
        {
          name   = "No 2xx from warm for 15 minutes"
          absent = "${local.warm_requests} AND metric.labels.response_code_class=\"2xx\""
        },
        {
          name   = "${title(local.counted.warm_failures)} failed calls of warm in 15 minutes"
          filter = "${local.warm_requests} AND metric.labels.response_code_class!=\"2xx\""
          period = "900s"
          above  = local.thresholds.warm_failures - 1
        },
      ]
      content = "Results are valid for 900 s after they were computed. From now on, requests wait for BigQuery. Look at the log of the function `warm` and at the scheduler job `warm`."
    }

    # A call that IAM refuses does not reach warm and is not in its request count.
    warm_not_reachable = {
      name     = "the scheduler is not allowed to call warm"
      severity = "ERROR"
      conditions = [{
        name = "A call of the scheduler was refused"
        log  = "resource.type=\"cloud_scheduler_job\" AND resource.labels.job_id=\"${google_cloud_scheduler_job.warm.name}\" AND jsonPayload.status=(\"PERMISSION_DENIED\" OR \"UNAUTHENTICATED\" OR \"NOT_FOUND\")"
      }]
      content = "The job `warm` calls the function with a token of its own account, which needs `roles/run.invoker` on the Cloud Run service `warm`. Apply the Terraform configuration again."
    }

    query_errors = {
      name     = "more than ${local.percent.server_errors_share} % of the answers are server errors"
      severity = "ERROR"
      combiner = "AND" # The ratio and a number, so that one error among few requests sends no alert.
      conditions = [
        {
          name     = "5xx ratio above ${local.percent.server_errors_share} % for 5 minutes"
          filter   = "${local.query_requests} AND metric.labels.response_code_class=\"5xx\""
          share_of = local.query_requests
          period   = "300s"
          above    = local.thresholds.server_errors_share
        },
        {
          name   = "At least ${local.counted.server_errors} 5xx in 5 minutes"
          filter = "${local.query_requests} AND metric.labels.response_code_class=\"5xx\""
          period = "300s"
          above  = local.thresholds.server_errors - 1
        },
      ]
      content = "500 is a fault of the service, 503 means that BigQuery cannot be reached or failed, 504 that queries take too long. The log of the function `query` has a line for each, with its reason. If that is `QUERY_RUNNING`, nothing failed: callers wait for a query that takes longer than `QUERY_TIMEOUT_SECONDS`, and ask again. With the header `Prefer: respond-async` they get 202 instead, which does not count here."
    }

    warm_incomplete = {
      name     = "warm did not refresh every result"
      severity = "WARNING"
      conditions = [{
        name = "A run of warm failed in part, or left results over"
        log  = "${local.warm_service} AND jsonPayload.event=\"warm\" AND (jsonPayload.failed>0 OR jsonPayload.leftOver>0 OR jsonPayload.listingCut=true)"
      }]
      content = "Callers of these results wait for BigQuery once they have expired. `failed` counts results whose refresh failed: the log of the function `warm` has a line `warm_entry_failed` for each, with its endpoint and reason. `leftOver` counts results for which the run had no time: raise `WARM_CONCURRENCY`, or give the endpoint a `warm.sql`. `listingCut` means that there are more results than `WARM_MAX_ENTRIES`."
    }

    query_exhausted = {
      name     = "requests are refused with 429"
      severity = "WARNING"
      conditions = [{
        # By reason, because a failed tool call has status 200. Not the limits of keys, which callers meet in everyday use.
        name = "A request was refused with 429, but not by a limit of its key"
        log  = "${local.query_lines} AND jsonPayload.event=\"request\" AND jsonPayload.reason=(\"QUERY_QUOTA_EXHAUSTED\" OR \"KEY_LOOKUPS_EXHAUSTED\")"
      }]
      content = "The request log has the reason (`jsonPayload.reason`): `QUERY_QUOTA_EXHAUSTED` is a rate limit or quota of BigQuery, `KEY_LOOKUPS_EXHAUSTED` is a client address that tries many unknown keys. A key over its own limit (`RATE_LIMITED`, `JOBS_RUNNING`, `BYTES_PER_DAY`) sends no alert here."
    }

    bytes_per_day = {
      name     = "a bound on bytes per day is almost used up"
      severity = "WARNING"
      conditions = [{
        # One condition, because a policy that matches log lines may have no more.
        name = "A key has used up 80 % of its bytesPerDay, or warming of WARM_BYTES_PER_DAY"
        log  = "(${local.query_lines} AND jsonPayload.event=\"key_bytes\") OR (${local.warm_service} AND jsonPayload.event=\"warm_bytes\")"
      }]
      content = "Days are those of UTC. `key_bytes` names the API key (`keyName`, `keyId`): once its bytes are used up, its requests that the cache cannot answer get 429 `BYTES_PER_DAY` until midnight. `warm_bytes`: near its share of the day, a run first refreshes the results that most keys read, and leaves the others to expire (`overBytes` in its report); requests for them run their queries."
    }

    query_unauthenticated = {
      name     = "more than ${local.percent.unauthenticated_share} % of the requests have no valid key"
      severity = "WARNING"
      combiner = "AND" # The ratio, and enough requests that it is not one mistyped key at night.
      conditions = [
        {
          name     = "401 ratio above ${local.percent.unauthenticated_share} % for 5 minutes"
          filter   = "${local.query_requests} AND metric.labels.response_code=\"401\""
          share_of = local.query_requests
          period   = "300s"
          above    = local.thresholds.unauthenticated_share
        },
        {
          name   = "At least ${local.counted.unauthenticated} 401 in 5 minutes"
          filter = "${local.query_requests} AND metric.labels.response_code=\"401\""
          period = "300s"
          above  = local.thresholds.unauthenticated - 1
        },
      ]
      content = "Either a key in use has expired or was revoked (`npm run keys -- list`), or a client tries unknown keys. All 401 look the same to the caller."
    }

    bytes_billed = {
      name     = "BigQuery bills more bytes than expected"
      severity = "WARNING"
      conditions = [{
        name   = "Bytes billed in an hour, whole project"
        filter = local.bytes_billed
        period = "3600s"
        above  = var.bytes_billed_per_hour_max
      }]
      content = "All queries of the project count, not only those of this service. The dashboard shows the bytes that the service itself processed, by endpoint, and those with which `warm` detects changed tables; the variable `bytes_billed_per_hour_max` is the limit."
    }
  }
}

resource "google_monitoring_alert_policy" "alert" {
  for_each = local.alerts

  display_name          = "Saved queries${local.label}: ${each.value.name}"
  combiner              = try(each.value.combiner, "OR")
  severity              = each.value.severity
  notification_channels = local.alert_channels

  dynamic "conditions" {
    for_each = each.value.conditions

    content {
      display_name = conditions.value.name

      dynamic "condition_matched_log" {
        for_each = try([conditions.value.log], [])

        content {
          filter = condition_matched_log.value
        }
      }

      dynamic "condition_absent" {
        for_each = try([conditions.value.absent], [])

        content {
          filter   = condition_absent.value
          duration = "900s"

          aggregations {
            alignment_period     = "300s"
            per_series_aligner   = "ALIGN_DELTA"
            cross_series_reducer = "REDUCE_SUM"
          }
        }
      }

      dynamic "condition_threshold" {
        for_each = try([conditions.value.above], [])

        content {
          filter             = conditions.value.filter
          denominator_filter = try(conditions.value.share_of, null)
          comparison         = "COMPARISON_GT"
          threshold_value    = condition_threshold.value
          duration           = can(conditions.value.share_of) ? conditions.value.period : "0s"

          aggregations {
            alignment_period     = conditions.value.period
            per_series_aligner   = can(conditions.value.share_of) ? "ALIGN_RATE" : "ALIGN_SUM"
            cross_series_reducer = "REDUCE_SUM"
          }

          dynamic "denominator_aggregations" {
            for_each = try([conditions.value.share_of], [])

            content {
              alignment_period     = conditions.value.period
              per_series_aligner   = "ALIGN_RATE"
              cross_series_reducer = "REDUCE_SUM"
            }
          }
        }
      }
    }
  }

  documentation {
    mime_type = "text/markdown"
    content   = each.value.content
  }

  alert_strategy {
    auto_close = "1800s"

    dynamic "notification_rate_limit" { # Required with a log match.
      for_each = length(flatten([for condition in each.value.conditions : try([condition.log], [])])) > 0 ? [1] : []

      content {
        period = "3600s"
      }
    }
  }

  depends_on = [terraform_data.services]
}

# ---- a check from outside, if asked for

resource "google_monitoring_uptime_check_config" "health" {
  count = var.uptime_check == "false" ? 0 : 1

  display_name = "Saved queries${local.label}: /health"
  period       = "60s"
  timeout      = "10s"

  http_check {
    path         = "/health"
    port         = 443
    use_ssl      = true
    validate_ssl = true
  }

  monitored_resource {
    type = "uptime_url"
    labels = {
      project_id = var.project_id
      host       = var.uptime_check == "true" ? trimprefix(local.query_uri, "https://") : var.uptime_check
    }
  }

  depends_on = [google_cloud_run_v2_service_iam_member.query_public]
}

resource "google_monitoring_alert_policy" "uptime" {
  count = var.uptime_check == "false" ? 0 : 1

  display_name          = "Saved queries${local.label}: query cannot be reached"
  combiner              = "OR"
  severity              = "CRITICAL"
  notification_channels = local.alert_channels

  conditions {
    display_name = "/health has failed from two regions or more for 3 minutes"

    condition_threshold {
      filter          = "resource.type=\"uptime_url\" AND metric.type=\"monitoring.googleapis.com/uptime_check/check_passed\" AND metric.labels.check_id=\"${google_monitoring_uptime_check_config.health[0].uptime_check_id}\""
      comparison      = "COMPARISON_GT"
      threshold_value = 1
      duration        = "180s"

      aggregations {
        alignment_period     = "60s"
        per_series_aligner   = "ALIGN_NEXT_OLDER"
        cross_series_reducer = "REDUCE_COUNT_FALSE"
        group_by_fields      = ["resource.label.host"]
      }
    }
  }

  documentation {
    mime_type = "text/markdown"
    content   = "Google calls `GET /health` of `query` from several regions. Without an answer, look at the function's log and at Google Cloud's status page, and whether the service may still be called without credentials (`roles/run.invoker` of `allUsers`)."
  }

  alert_strategy {
    auto_close = "1800s"
  }

  lifecycle {
    replace_triggered_by = [google_monitoring_uptime_check_config.health] # Google refuses to delete a check that an alert names.
  }
}
