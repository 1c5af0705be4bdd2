# Log-based metrics, the dashboard and the alerts.
#
# The service logs one JSON line per request (event "request"), per run of warm ("warm") and per entry that warm could not
# refresh ("warm_entry_failed"). The log-based metrics count these lines. The alerts use log lines or built-in metrics of
# Google Cloud: a log-based metric exists only some minutes after its definition, and until then an alert on it cannot be
# created.

locals {
  metric_prefix = replace(local.names.prefix, "-", "_")

  # Filters that metrics, charts and alerts share. Logging and Monitoring use the same syntax for them.
  query_service = "resource.type=\"cloud_run_revision\" AND resource.labels.service_name=\"${local.query_service_name}\""
  warm_service  = "resource.type=\"cloud_run_revision\" AND resource.labels.service_name=\"${google_cloudfunctions2_function.warm.name}\""

  query_requests  = "${local.query_service} AND metric.type=\"run.googleapis.com/request_count\""
  query_latencies = "${local.query_service} AND metric.type=\"run.googleapis.com/request_latencies\""
  warm_requests   = "${local.warm_service} AND metric.type=\"run.googleapis.com/request_count\""

  # Two metrics count bytes billed. This one is available within minutes, query/scanned_bytes_billed after six hours.
  bytes_billed = "resource.type=\"bigquery_project\" AND metric.type=\"bigquery.googleapis.com/query/statement_scanned_bytes_billed\""
}

# ---- log-based metrics

resource "google_logging_metric" "requests" {
  name        = "${local.metric_prefix}requests"
  description = "Requests by endpoint and outcome (hit, memory_hit, miss, collapsed or expired; empty if the request failed)."
  filter      = "${local.query_service} AND jsonPayload.event=\"request\""

  label_extractors = {
    endpoint = "EXTRACT(jsonPayload.endpoint)"
    outcome  = "EXTRACT(jsonPayload.outcome)"
  }

  metric_descriptor {
    metric_kind  = "DELTA"
    value_type   = "INT64"
    unit         = "1"
    display_name = "Saved queries${local.label}: requests"

    labels {
      key         = "endpoint"
      value_type  = "STRING"
      description = "Name of the endpoint; empty if the request named none."
    }
    labels {
      key         = "outcome"
      value_type  = "STRING"
      description = "Source of the answer."
    }
  }

  depends_on = [terraform_data.services]
}

resource "google_logging_metric" "bytes_processed" {
  name        = "${local.metric_prefix}bytes_processed"
  description = "Bytes processed by BigQuery: per request that ran a query, and per run of warm."
  # The lines of both functions that state bytes: requests that ran a query, and runs of warm.
  filter          = "resource.type=\"cloud_run_revision\" AND resource.labels.service_name=(\"${local.query_service_name}\" OR \"${google_cloudfunctions2_function.warm.name}\") AND jsonPayload.event=(\"request\" OR \"warm\") AND jsonPayload.bytesProcessed>0"
  value_extractor = "EXTRACT(jsonPayload.bytesProcessed)"

  label_extractors = {
    endpoint = "EXTRACT(jsonPayload.endpoint)"
    event    = "EXTRACT(jsonPayload.event)"
  }

  metric_descriptor {
    metric_kind  = "DELTA"
    value_type   = "DISTRIBUTION"
    unit         = "By"
    display_name = "Saved queries${local.label}: bytes processed"

    labels {
      key         = "endpoint"
      value_type  = "STRING"
      description = "Name of the endpoint; empty for warm, which runs many."
    }
    labels {
      key         = "event"
      value_type  = "STRING"
      description = "request or warm."
    }
  }

  bucket_options {
    exponential_buckets { # 1 MiB to 64 TiB, a factor of 4 at a time.
      scale              = 1048576
      growth_factor      = 4
      num_finite_buckets = 13
    }
  }

  depends_on = [terraform_data.services]
}

# A separate metric, because a metric takes its value from one field of a line.
resource "google_logging_metric" "question_bytes" {
  name            = "${local.metric_prefix}question_bytes"
  description     = "Bytes processed by the jobs with which a warming run detects changed tables."
  filter          = "${local.warm_service} AND jsonPayload.event=\"warm\" AND jsonPayload.questionBytes>0"
  value_extractor = "EXTRACT(jsonPayload.questionBytes)"

  metric_descriptor {
    metric_kind  = "DELTA"
    value_type   = "DISTRIBUTION"
    unit         = "By"
    display_name = "Saved queries${local.label}: bytes processed to detect changed tables"
  }

  bucket_options {
    exponential_buckets { # As above.
      scale              = 1048576
      growth_factor      = 4
      num_finite_buckets = 13
    }
  }

  depends_on = [terraform_data.services]
}

resource "google_logging_metric" "warm_lag" {
  name            = "${local.metric_prefix}warm_lag"
  description     = "Age of the oldest live result at the start of a warming run. Above 900 s, a caller has waited for BigQuery."
  filter          = "${local.warm_service} AND jsonPayload.event=\"warm\" AND jsonPayload.maxAgeSeconds>=0"
  value_extractor = "EXTRACT(jsonPayload.maxAgeSeconds)"

  metric_descriptor {
    metric_kind  = "DELTA"
    value_type   = "DISTRIBUTION"
    unit         = "s"
    display_name = "Saved queries${local.label}: warm lag"
  }

  bucket_options {
    linear_buckets { # Minutes, up to an hour.
      offset             = 0
      width              = 60
      num_finite_buckets = 60
    }
  }

  depends_on = [terraform_data.services]
}

resource "google_logging_metric" "warm_entries_failed" {
  name        = "${local.metric_prefix}warm_entries_failed"
  description = "Results that warm could not refresh, by endpoint and reason."
  filter      = "${local.warm_service} AND jsonPayload.event=\"warm_entry_failed\""

  label_extractors = {
    endpoint = "EXTRACT(jsonPayload.endpoint)"
    reason   = "EXTRACT(jsonPayload.reason)"
  }

  metric_descriptor {
    metric_kind  = "DELTA"
    value_type   = "INT64"
    unit         = "1"
    display_name = "Saved queries${local.label}: results not refreshed"

    labels {
      key         = "endpoint"
      value_type  = "STRING"
      description = "Name of the endpoint."
    }
    labels {
      key         = "reason"
      value_type  = "STRING"
      description = "Reason of the error."
    }
  }

  depends_on = [terraform_data.services]
}

# ---- dashboard

locals {
  user_metric = "resource.type=\"cloud_run_revision\" AND metric.type=\"logging.googleapis.com/user/%s\""

  requests_filter = format(local.user_metric, google_logging_metric.requests.name)
  from_cache      = "${local.requests_filter} AND metric.labels.outcome=one_of(\"hit\",\"memory_hit\")"
  from_anywhere   = "${local.requests_filter} AND metric.labels.outcome=one_of(\"hit\",\"memory_hit\",\"miss\",\"collapsed\",\"expired\")"

  rate_sum  = { alignmentPeriod = "300s", perSeriesAligner = "ALIGN_RATE", crossSeriesReducer = "REDUCE_SUM" }
  total_sum = { alignmentPeriod = "300s", perSeriesAligner = "ALIGN_DELTA", crossSeriesReducer = "REDUCE_SUM" }

  # Each chart: title, unit of the axis, and its lines.
  charts = [
    {
      title = "Hit ratio"
      axis  = "share of answers from the cache"
      lines = [{
        legend = "hit ratio"
        query = { timeSeriesFilterRatio = {
          numerator   = { filter = local.from_cache, aggregation = local.rate_sum }
          denominator = { filter = local.from_anywhere, aggregation = local.rate_sum }
        } }
      }]
    },
    {
      title = "Requests by outcome"
      axis  = "requests per second"
      lines = [{
        legend = "$${metric.labels.outcome}"
        query = { timeSeriesFilter = {
          filter      = local.requests_filter
          aggregation = merge(local.rate_sum, { groupByFields = ["metric.label.outcome"] })
        } }
      }]
    },
    {
      title = "Latency of query"
      axis  = "milliseconds"
      lines = [for percentile in ["50", "99"] : {
        legend = "p${percentile}"
        query = { timeSeriesFilter = {
          filter = local.query_latencies
          aggregation = {
            alignmentPeriod    = "300s"
            perSeriesAligner   = "ALIGN_DELTA"
            crossSeriesReducer = "REDUCE_PERCENTILE_${percentile}"
          }
        } }
      }]
    },
    {
      title = "Errors of query by code"
      axis  = "answers in 5 minutes"
      lines = [{
        legend = "$${metric.labels.response_code}"
        query = { timeSeriesFilter = {
          filter      = "${local.query_requests} AND metric.labels.response_code_class=one_of(\"4xx\",\"5xx\")"
          aggregation = merge(local.total_sum, { groupByFields = ["metric.label.response_code"] })
        } }
      }]
    },
    {
      title = "Warm lag"
      axis  = "seconds"
      lines = [{
        legend = "age of the oldest live entry"
        query = { timeSeriesFilter = {
          filter = format(local.user_metric, google_logging_metric.warm_lag.name)
          aggregation = { # One run in 300 s: the mean of one value is exact, a percentile would be the bound of a bucket.
            alignmentPeriod    = "300s"
            perSeriesAligner   = "ALIGN_DELTA"
            crossSeriesReducer = "REDUCE_MEAN"
          }
        } }
      }]
    },
    {
      title = "Results that warm could not refresh"
      axis  = "entries in 5 minutes"
      lines = [{
        legend = "$${metric.labels.endpoint} $${metric.labels.reason}"
        query = { timeSeriesFilter = {
          filter      = format(local.user_metric, google_logging_metric.warm_entries_failed.name)
          aggregation = merge(local.total_sum, { groupByFields = ["metric.label.endpoint", "metric.label.reason"] })
        } }
      }]
    },
    {
      title = "Bytes billed by BigQuery, whole project"
      axis  = "bytes in an hour"
      lines = [{
        legend = "bytes billed"
        query = { timeSeriesFilter = {
          filter      = local.bytes_billed
          aggregation = { alignmentPeriod = "3600s", perSeriesAligner = "ALIGN_SUM", crossSeriesReducer = "REDUCE_SUM" }
        } }
      }]
    },
    {
      title = "Bytes processed by the service"
      axis  = "bytes in an hour"
      # PromQL, because a filter cannot add up the values of a distribution.
      lines = [
        {
          legend = null # The labels of the result name the line.
          query  = { prometheusQuery = "sum by (event, endpoint) (increase(logging_googleapis_com:user_${google_logging_metric.bytes_processed.name}_sum{monitored_resource=\"cloud_run_revision\"}[1h]))" }
        },
        {
          legend = "what warm asks"
          query  = { prometheusQuery = "sum(increase(logging_googleapis_com:user_${google_logging_metric.question_bytes.name}_sum{monitored_resource=\"cloud_run_revision\"}[1h]))" }
        },
      ]
    },
  ]
}

resource "google_monitoring_dashboard" "service" {
  dashboard_json = jsonencode({
    displayName = "Saved query endpoints${local.label}"
    mosaicLayout = {
      columns = 48
      tiles = [for index, chart in local.charts : merge(
        # Two charts in a row. The API omits a position of 0, so it is omitted here: otherwise each plan would show a change.
        index % 2 == 0 ? {} : { xPos = 24 },
        index < 2 ? {} : { yPos = 16 * floor(index / 2) },
        {
          width  = 24
          height = 16
          widget = {
            title = chart.title
            xyChart = {
              chartOptions = { mode = "COLOR" }
              yAxis        = { label = chart.axis, scale = "LINEAR" }
              dataSets = [for line in chart.lines : merge(
                line.legend == null ? {} : { legendTemplate = line.legend },
                {
                  plotType           = "LINE"
                  targetAxis         = "Y1"
                  minAlignmentPeriod = "60s"
                  timeSeriesQuery    = line.query
                },
              )]
            }
          }
        },
      )]
    }
  })

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
        log  = "${local.query_service} AND jsonPayload.event=\"request\" AND jsonPayload.reason=(\"QUERY_QUOTA_EXHAUSTED\" OR \"KEY_LOOKUPS_EXHAUSTED\")"
      }]
      content = "The request log has the reason (`jsonPayload.reason`): `QUERY_QUOTA_EXHAUSTED` is a rate limit or quota of BigQuery, `KEY_LOOKUPS_EXHAUSTED` is a client address that tries many unknown keys. A key over its own limit (`RATE_LIMITED`, `JOBS_RUNNING`, `BYTES_PER_DAY`) sends no alert here."
    }

    bytes_per_day = {
      name     = "a bound on bytes per day is almost used up"
      severity = "WARNING"
      conditions = [{
        # One condition, because a policy that matches log lines may have no more.
        name = "A key has used up 80 % of its bytesPerDay, or warming of WARM_BYTES_PER_DAY"
        log  = "(${local.query_service} AND jsonPayload.event=\"key_bytes\") OR (${local.warm_service} AND jsonPayload.event=\"warm_bytes\")"
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
  count = var.uptime_check ? 1 : 0

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
      host       = coalesce(var.uptime_check_host, trimprefix(local.query_uri, "https://"))
    }
  }

  depends_on = [google_cloud_run_v2_service_iam_member.query_public]
}

resource "google_monitoring_alert_policy" "uptime" {
  count = var.uptime_check ? 1 : 0

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
