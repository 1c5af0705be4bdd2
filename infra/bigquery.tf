# The dataset that the saved queries read, with a table or a view for each source that names no other dataset (tables.tf),
# and the table of the service's own request lines.

resource "google_bigquery_dataset" "logs" {
  dataset_id                 = local.names.bigquery_dataset
  location                   = local.bigquery_location
  description                = "Log sources of the saved query endpoints."
  delete_contents_on_destroy = false

  # Grants are in iam.tf. `access` blocks here would replace them.
  depends_on = [terraform_data.services]

  lifecycle {
    precondition {
      condition     = length(local.source_faults) + length(local.unknown_stated) == 0
      error_message = join("\n", concat(local.unknown_stated, local.source_faults))
    }
  }
}

# Clustering, the filter and most changes of columns are made in place. Other columns of partitions, types and required columns
# would replace the table: the provider refuses that while deletion_protection is on. BigQuery cannot change the type of partitions
# (DAY, HOUR), so a table keeps the one that it was created with (docs/upgrade.md, "From DAY to HOUR partitions").
resource "google_bigquery_table" "log" {
  for_each = local.tables

  dataset_id               = google_bigquery_dataset.logs.dataset_id
  table_id                 = each.key
  description              = "Source ${each.key}; schema in sql/sources."
  schema                   = each.value.schema
  clustering               = each.value.clustering
  require_partition_filter = each.value.require_partition_filter
  deletion_protection      = var.deletion_protection

  dynamic "time_partitioning" {
    for_each = each.value.partitioning[*]

    content {
      type          = time_partitioning.value.type
      field         = time_partitioning.value.field
      expiration_ms = time_partitioning.value.expiration_ms
    }
  }

  lifecycle {
    ignore_changes = [time_partitioning[0].type]
  }
}

# A warning, never an error. A table that is partitioned only in table.json is planned to be replaced, and is not compared.
check "partition_types" {
  assert {
    condition     = length(local.kept_partition_types) == 0
    error_message = <<-EOT
      ${join("\n", local.kept_partition_types)}
      Set this type in table.json, for an exact `npm run check`, or move the table: docs/upgrade.md, "From DAY to HOUR partitions".
    EOT
  }
}

locals {
  kept_partition_types = [
    for source, table in google_bigquery_table.log : "${source} keeps its ${table.time_partitioning[0].type} partitions; its table.json says ${local.tables[source].partitioning.type}."
    if try(table.time_partitioning[0].type != local.tables[source].partitioning.type, false)
  ]
}

# A view has the name that the queries use. Their filter on the partition column reaches the table behind the view, so
# BigQuery prunes its partitions as usual.
resource "google_bigquery_table" "log_view" {
  for_each = local.views

  dataset_id          = google_bigquery_dataset.logs.dataset_id
  table_id            = each.key
  description         = "Source ${each.key}, a view of ${each.value.table}."
  deletion_protection = false # A view holds no data.

  view {
    query          = each.value.query
    use_legacy_sql = false
  }

  # A source that moves from table to view keeps its id: the table is destroyed first. In the other direction, the view is.
  depends_on = [google_bigquery_table.log, google_bigquery_table.requests]
}

# ---- the service's own request lines

# For the source whose table.json names their table: the endpoint that reads it says who asked for what, and what it cost.
# Without such a source nothing below is created.

locals {
  requests_place = "${var.project_id}.${local.names.requests_dataset}"
  has_requests   = contains([for view in values(local.views) : view.table], "${local.requests_place}.${local.defaults.requests.table}")

  requests_expiration_ms = coalesce(var.request_retention_days, 0) * 24 * 60 * 60 * 1000 # 0 keeps all.
}

# A dataset of its own, because the account of the sink may write to all of it.
resource "google_bigquery_dataset" "requests" {
  count = local.has_requests ? 1 : 0

  dataset_id                      = local.names.requests_dataset
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
  description              = "Request lines, one per request; the sink ${local.names.requests_sink} writes them."
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

  name                   = local.names.requests_sink
  description            = "Request lines of the saved query endpoints, for the endpoint that counts them."
  destination            = "bigquery.googleapis.com/projects/${var.project_id}/datasets/${google_bigquery_table.requests[0].dataset_id}"
  filter                 = "${local.query_lines} AND ${local.defaults.requests.filter}"
  unique_writer_identity = true

  bigquery_options {
    use_partitioned_tables = true
  }
}
