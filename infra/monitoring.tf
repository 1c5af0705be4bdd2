# Log-based metrics, the dashboard and the alerts.
#
# The service logs one JSON line per request (event "request"), per run of warm ("warm") and per entry that warm could not
# refresh ("warm_entry_failed"). The log-based metrics count these lines. The alerts use log lines or built-in metrics of
# Google Cloud: a log-based metric exists only some minutes after its definition, and until then an alert on it cannot be
# made.

locals {
  # Filters that metrics, charts and alerts share. Logging and Monitoring use the same syntax for them.
  query_service = "resource.type=\"cloud_run_revision\" AND resource.labels.service_name=\"${google_cloudfunctions2_function.query.name}\""
  warm_service  = "resource.type=\"cloud_run_revision\" AND resource.labels.service_name=\"${google_cloudfunctions2_function.warm.name}\""

  query_requests  = "${local.query_service} AND metric.type=\"run.googleapis.com/request_count\""
  query_latencies = "${local.query_service} AND metric.type=\"run.googleapis.com/request_latencies\""
  warm_requests   = "${local.warm_service} AND metric.type=\"run.googleapis.com/request_count\""

  # Two metrics count bytes billed. This one is available within minutes, query/scanned_bytes_billed after six hours.
  bytes_billed = "resource.type=\"bigquery_project\" AND metric.type=\"bigquery.googleapis.com/query/statement_scanned_bytes_billed\""
}

# ---- log-based metrics

resource "google_logging_metric" "requests" {
  name        = "saved_queries_requests"
  description = "Requests by endpoint and outcome (hit, memory_hit, miss, collapsed, expired, error)."
  filter      = "${local.query_service} AND jsonPayload.event=\"request\""

  label_extractors = {
    endpoint = "EXTRACT(jsonPayload.endpoint)"
    outcome  = "EXTRACT(jsonPayload.outcome)"
  }

  metric_descriptor {
    metric_kind  = "DELTA"
    value_type   = "INT64"
    unit         = "1"
    display_name = "Saved queries: requests"

    labels {
      key         = "endpoint"
      value_type  = "STRING"
      description = "Name of the endpoint; empty where the request named none."
    }
    labels {
      key         = "outcome"
      value_type  = "STRING"
      description = "Where the answer came from."
    }
  }

  depends_on = [google_project_service.enabled]
}

resource "google_logging_metric" "bytes_processed" {
  name        = "saved_queries_bytes_processed"
  description = "Bytes processed by BigQuery: per request that ran a query, and per run of warm."
  # The lines of both functions that state bytes: requests that ran a query, and runs of warm.
  filter          = "resource.type=\"cloud_run_revision\" AND resource.labels.service_name=(\"${google_cloudfunctions2_function.query.name}\" OR \"${google_cloudfunctions2_function.warm.name}\") AND jsonPayload.event=(\"request\" OR \"warm\") AND jsonPayload.bytesProcessed>0"
  value_extractor = "EXTRACT(jsonPayload.bytesProcessed)"

  label_extractors = {
    endpoint = "EXTRACT(jsonPayload.endpoint)"
    event    = "EXTRACT(jsonPayload.event)"
  }

  metric_descriptor {
    metric_kind  = "DELTA"
    value_type   = "DISTRIBUTION"
    unit         = "By"
    display_name = "Saved queries: bytes processed"

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

  depends_on = [google_project_service.enabled]
}

resource "google_logging_metric" "warm_lag" {
  name            = "saved_queries_warm_lag"
  description     = "Age of the oldest live entry when a run of warm began. Above 900 s somebody has waited for BigQuery."
  filter          = "${local.warm_service} AND jsonPayload.event=\"warm\" AND jsonPayload.maxAgeSeconds>=0"
  value_extractor = "EXTRACT(jsonPayload.maxAgeSeconds)"

  metric_descriptor {
    metric_kind  = "DELTA"
    value_type   = "DISTRIBUTION"
    unit         = "s"
    display_name = "Saved queries: warm lag"
  }

  bucket_options {
    linear_buckets { # Minutes, up to an hour.
      offset             = 0
      width              = 60
      num_finite_buckets = 60
    }
  }

  depends_on = [google_project_service.enabled]
}

resource "google_logging_metric" "warm_entries_failed" {
  name        = "saved_queries_warm_entries_failed"
  description = "Entries that warm could not refresh, by endpoint and reason."
  filter      = "${local.warm_service} AND jsonPayload.event=\"warm_entry_failed\""

  label_extractors = {
    endpoint = "EXTRACT(jsonPayload.endpoint)"
    reason   = "EXTRACT(jsonPayload.reason)"
  }

  metric_descriptor {
    metric_kind  = "DELTA"
    value_type   = "INT64"
    unit         = "1"
    display_name = "Saved queries: entries not refreshed"

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

  depends_on = [google_project_service.enabled]
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
      axis  = "share of answers that came from the cache"
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
      title = "Entries that warm could not refresh"
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
      lines = [{
        legend = null # The labels of the result name the line.
        # PromQL, because a filter cannot add up the values of a distribution.
        query = { prometheusQuery = "sum by (event, endpoint) (increase(logging_googleapis_com:user_${google_logging_metric.bytes_processed.name}_sum{monitored_resource=\"cloud_run_revision\"}[1h]))" }
      }]
    },
  ]
}

resource "google_monitoring_dashboard" "service" {
  dashboard_json = jsonencode({
    displayName = "Saved query endpoints"
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

  depends_on = [google_project_service.enabled]
}

# ---- alerts

resource "google_monitoring_notification_channel" "email" {
  for_each = toset(var.alert_emails)

  display_name = "Saved query endpoints: ${each.value}"
  type         = "email"
  labels       = { email_address = each.value }

  depends_on = [google_project_service.enabled]

  lifecycle {
    create_before_destroy = true # Google refuses to delete a channel that an alert names: the alerts are changed first.
  }
}

locals {
  notification_channels = [for channel in google_monitoring_notification_channel.email : channel.id]
}

resource "google_monitoring_alert_policy" "warm_not_succeeding" {
  display_name          = "Saved queries: warm has not succeeded for 15 minutes"
  combiner              = "OR"
  severity              = "ERROR"
  notification_channels = local.notification_channels

  # The first condition needs an earlier success. If warm fails from the first run on, the second condition is met.
  conditions {
    display_name = "No 2xx from warm for 15 minutes"

    condition_absent {
      filter   = "${local.warm_requests} AND metric.labels.response_code_class=\"2xx\""
      duration = "900s"

      aggregations {
        alignment_period     = "300s"
        per_series_aligner   = "ALIGN_DELTA"
        cross_series_reducer = "REDUCE_SUM"
      }
    }
  }

  conditions {
    display_name = "Three failed runs of warm in 15 minutes"

    condition_threshold {
      filter          = "${local.warm_requests} AND metric.labels.response_code_class!=\"2xx\""
      comparison      = "COMPARISON_GT"
      threshold_value = 2
      duration        = "0s"

      aggregations {
        alignment_period     = "900s"
        per_series_aligner   = "ALIGN_SUM"
        cross_series_reducer = "REDUCE_SUM"
      }
    }
  }

  documentation {
    mime_type = "text/markdown"
    content   = "Results stay valid for 900 s after they were computed: from now on requests wait for BigQuery. Look at the log of the function `warm` and at the scheduler job `warm`."
  }

  alert_strategy {
    auto_close = "1800s"
  }

  depends_on = [google_project_service.enabled]
}

# A call that IAM refuses does not reach warm and is not in its request count.
resource "google_monitoring_alert_policy" "warm_not_reachable" {
  display_name          = "Saved queries: the scheduler may not call warm"
  combiner              = "OR"
  severity              = "ERROR"
  notification_channels = local.notification_channels

  conditions {
    display_name = "The scheduler was refused"

    condition_matched_log {
      filter = "resource.type=\"cloud_scheduler_job\" AND resource.labels.job_id=\"${google_cloud_scheduler_job.warm.name}\" AND jsonPayload.status=(\"PERMISSION_DENIED\" OR \"UNAUTHENTICATED\" OR \"NOT_FOUND\")"
    }
  }

  documentation {
    mime_type = "text/markdown"
    content   = "The job `warm` calls the function with a token of its own account, which needs `roles/run.invoker` on the Cloud Run service `warm`. Apply the Terraform configuration again."
  }

  alert_strategy {
    auto_close = "1800s"

    notification_rate_limit { # Required with a log match.
      period = "3600s"
    }
  }

  depends_on = [google_project_service.enabled]
}

resource "google_monitoring_alert_policy" "query_errors" {
  display_name          = "Saved queries: more than 5 % of the answers are server errors"
  combiner              = "AND" # The ratio and a number, so that one error among few requests sends no alert.
  severity              = "ERROR"
  notification_channels = local.notification_channels

  conditions {
    display_name = "5xx ratio above 5 % for 5 minutes"

    condition_threshold {
      filter             = "${local.query_requests} AND metric.labels.response_code_class=\"5xx\""
      denominator_filter = local.query_requests
      comparison         = "COMPARISON_GT"
      threshold_value    = 0.05
      duration           = "300s"

      aggregations {
        alignment_period     = "300s"
        per_series_aligner   = "ALIGN_RATE"
        cross_series_reducer = "REDUCE_SUM"
      }
      denominator_aggregations {
        alignment_period     = "300s"
        per_series_aligner   = "ALIGN_RATE"
        cross_series_reducer = "REDUCE_SUM"
      }
    }
  }

  conditions {
    display_name = "At least five 5xx in 5 minutes"

    condition_threshold {
      filter          = "${local.query_requests} AND metric.labels.response_code_class=\"5xx\""
      comparison      = "COMPARISON_GT"
      threshold_value = 4
      duration        = "0s"

      aggregations {
        alignment_period     = "300s"
        per_series_aligner   = "ALIGN_SUM"
        cross_series_reducer = "REDUCE_SUM"
      }
    }
  }

  documentation {
    mime_type = "text/markdown"
    content   = "500 is a fault of the service, 503 means that BigQuery cannot be reached or failed, 504 that queries take too long. The log of the function `query` has a line for each, with its reason."
  }

  alert_strategy {
    auto_close = "1800s"
  }

  depends_on = [google_project_service.enabled]
}

resource "google_monitoring_alert_policy" "warm_incomplete" {
  display_name          = "Saved queries: warm did not refresh every result"
  combiner              = "OR"
  severity              = "WARNING"
  notification_channels = local.notification_channels

  conditions {
    display_name = "A run of warm failed in part, or left results over"

    condition_matched_log {
      filter = "${local.warm_service} AND jsonPayload.event=\"warm\" AND (jsonPayload.failed>0 OR jsonPayload.leftOver>0 OR jsonPayload.listingCut=true)"
    }
  }

  documentation {
    mime_type = "text/markdown"
    content   = "Callers of these results wait for BigQuery once they have expired. `failed` counts results whose refresh failed: the log of the function `warm` has a line `warm_entry_failed` for each, with its endpoint and reason. `leftOver` counts results for which the run had no time: raise `WARM_CONCURRENCY`, or give the endpoint a `warm.sql`. `listingCut` means that there are more results than `WARM_MAX_ENTRIES`."
  }

  alert_strategy {
    auto_close = "1800s"

    notification_rate_limit { # Required with a log match.
      period = "3600s"
    }
  }

  depends_on = [google_project_service.enabled]
}

resource "google_monitoring_alert_policy" "query_exhausted" {
  display_name          = "Saved queries: requests are refused with 429"
  combiner              = "OR"
  severity              = "WARNING"
  notification_channels = local.notification_channels

  conditions {
    display_name = "At least five 429 in 5 minutes"

    condition_threshold {
      filter          = "${local.query_requests} AND metric.labels.response_code=\"429\""
      comparison      = "COMPARISON_GT"
      threshold_value = 4
      duration        = "0s"

      aggregations {
        alignment_period     = "300s"
        per_series_aligner   = "ALIGN_SUM"
        cross_series_reducer = "REDUCE_SUM"
      }
    }
  }

  documentation {
    mime_type = "text/markdown"
    content   = "The request log says why (`jsonPayload.reason`): `QUERY_QUOTA_EXHAUSTED` is a rate limit or quota of BigQuery, `KEY_LOOKUPS_EXHAUSTED` is a client address that tries many unknown keys."
  }

  alert_strategy {
    auto_close = "1800s"
  }

  depends_on = [google_project_service.enabled]
}

resource "google_monitoring_alert_policy" "query_unauthenticated" {
  display_name          = "Saved queries: more than 20 % of the requests have no valid key"
  combiner              = "AND" # The ratio, and enough requests that it is not one mistyped key at night.
  severity              = "WARNING"
  notification_channels = local.notification_channels

  conditions {
    display_name = "401 ratio above 20 % for 5 minutes"

    condition_threshold {
      filter             = "${local.query_requests} AND metric.labels.response_code=\"401\""
      denominator_filter = local.query_requests
      comparison         = "COMPARISON_GT"
      threshold_value    = 0.2
      duration           = "300s"

      aggregations {
        alignment_period     = "300s"
        per_series_aligner   = "ALIGN_RATE"
        cross_series_reducer = "REDUCE_SUM"
      }
      denominator_aggregations {
        alignment_period     = "300s"
        per_series_aligner   = "ALIGN_RATE"
        cross_series_reducer = "REDUCE_SUM"
      }
    }
  }

  conditions {
    display_name = "At least twenty 401 in 5 minutes"

    condition_threshold {
      filter          = "${local.query_requests} AND metric.labels.response_code=\"401\""
      comparison      = "COMPARISON_GT"
      threshold_value = 19
      duration        = "0s"

      aggregations {
        alignment_period     = "300s"
        per_series_aligner   = "ALIGN_SUM"
        cross_series_reducer = "REDUCE_SUM"
      }
    }
  }

  documentation {
    mime_type = "text/markdown"
    content   = "Either a key in use has expired or was revoked (`npm run keys -- list`), or somebody tries keys. All 401 look alike to the caller."
  }

  alert_strategy {
    auto_close = "1800s"
  }

  depends_on = [google_project_service.enabled]
}

resource "google_monitoring_alert_policy" "bytes_billed" {
  display_name          = "Saved queries: BigQuery bills more bytes than expected"
  combiner              = "OR"
  severity              = "WARNING"
  notification_channels = local.notification_channels

  conditions {
    display_name = "Bytes billed in an hour, whole project"

    condition_threshold {
      filter          = local.bytes_billed
      comparison      = "COMPARISON_GT"
      threshold_value = var.bytes_billed_per_hour_max
      duration        = "0s"

      aggregations {
        alignment_period     = "3600s"
        per_series_aligner   = "ALIGN_SUM"
        cross_series_reducer = "REDUCE_SUM"
      }
    }
  }

  documentation {
    mime_type = "text/markdown"
    content   = "All queries of the project count, not only those of this service. The dashboard shows the bytes that the service itself processed, by endpoint; the variable `bytes_billed_per_hour_max` is the limit."
  }

  alert_strategy {
    auto_close = "1800s"
  }

  depends_on = [google_project_service.enabled]
}
