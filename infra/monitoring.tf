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

# metrics.yaml has the metrics.
locals {
  metrics = yamldecode(templatefile("${path.module}/metrics.yaml", {
    query_lines  = local.query_lines
    warm_service = local.warm_service
    services     = join(" OR ", concat(local.listed, ["\"${google_cloudfunctions2_function.warm.name}\""]))
    run          = local.run
  }))
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

# alerts.yaml has the alerts.
locals {
  alert_channels = concat([for channel in google_monitoring_notification_channel.email : channel.id], var.notification_channels)

  thresholds = merge(local.defaults.alert_thresholds, var.alert_thresholds)
  alerts = yamldecode(templatefile("${path.module}/alerts.yaml", {
    thresholds = merge(local.thresholds, { bytes_billed = var.bytes_billed_per_hour_max })
    # As the names of alerts and conditions say them. Words, as before there was a variable: other names would be a change.
    percent        = { for name, value in local.thresholds : name => format("%.4g", value * 100) }
    counted        = { for name, value in local.thresholds : name => lookup({ "3" = "three", "5" = "five", "20" = "twenty" }, tostring(value), tostring(value)) }
    query_lines    = local.query_lines
    query_requests = local.query_requests
    warm_requests  = local.warm_requests
    warm_service   = local.warm_service
    bytes_billed   = local.bytes_billed
    scheduler_job  = google_cloud_scheduler_job.warm.name
  }))
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
