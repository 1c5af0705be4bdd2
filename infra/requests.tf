# The route of the service's own request lines into BigQuery, for the source whose table.json names this table: the endpoint
# that reads it says who asked for what, and what it cost. Without such a source nothing here is created.

locals {
  requests_place = "${var.project_id}.${local.defaults.requests.dataset}"
  has_requests   = contains([for view in values(local.views) : view.table], "${local.requests_place}.${local.defaults.requests.table}")

  requests_expiration_ms = coalesce(var.request_retention_days, 0) * 24 * 60 * 60 * 1000 # 0 keeps all.
}

# A dataset of its own, because the account of the sink may write to all of it.
resource "google_bigquery_dataset" "requests" {
  count = local.has_requests ? 1 : 0

  dataset_id                      = local.defaults.requests.dataset
  location                        = local.bigquery_location # A view and its table are in the same location.
  description                     = "Request lines of the saved query endpoints, which a log sink writes."
  default_partition_expiration_ms = var.request_retention_days == null ? null : local.requests_expiration_ms # Of the sink's table of errors.
  delete_contents_on_destroy      = !var.deletion_protection                                                 # The sink may have added that table.

  depends_on = [terraform_data.services]
}

# With the columns that the view reads, so that it works before the first line arrives. Its name, partitions and types are those
# that the sink itself would give it; the sink adds all other columns.
resource "google_bigquery_table" "requests" {
  count = local.has_requests ? 1 : 0

  dataset_id               = google_bigquery_dataset.requests[0].dataset_id
  table_id                 = local.defaults.requests.table
  description              = "Request lines, one per request; the sink ${local.defaults.requests.sink} writes them."
  schema                   = file("${path.module}/requests.schema.json")
  require_partition_filter = true
  deletion_protection      = var.deletion_protection

  time_partitioning {
    type          = "DAY"
    field         = "timestamp"
    expiration_ms = local.requests_expiration_ms
  }

  lifecycle {
    ignore_changes = [schema] # Columns that the sink has added are no change.
  }
}

resource "google_logging_project_sink" "requests" {
  count = local.has_requests ? 1 : 0

  name                   = local.defaults.requests.sink
  description            = "Request lines of the saved query endpoints, for the endpoint that counts them."
  destination            = "bigquery.googleapis.com/projects/${var.project_id}/datasets/${google_bigquery_table.requests[0].dataset_id}"
  filter                 = "${local.query_service} AND ${local.defaults.requests.filter}"
  unique_writer_identity = true

  bigquery_options {
    use_partitioned_tables = true
  }
}
