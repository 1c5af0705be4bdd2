# The dataset that the saved queries read, with a table or a view for each source (tables.tf).

locals {
  # Where the tables behind the views are. A project id may hold a colon and dots (example.com:project).
  log_views = {
    for source, table in var.log_tables : source => regex("^(?P<project>.+)\\.(?P<dataset>[^.]+)\\.(?P<table>[^.]+)$", table)
  }
  log_view_datasets = { for view in values(local.log_views) : "${view.project}.${view.dataset}" => view... }
}

resource "google_bigquery_dataset" "logs" {
  dataset_id                 = local.bigquery_dataset
  location                   = local.bigquery_location
  description                = "Log sources of the saved query endpoints."
  delete_contents_on_destroy = false

  # Grants are in iam.tf; `access` blocks here would fight with them.
  depends_on = [google_project_service.enabled]
}

# Clustering, columns and the filter of an existing table are changed in place. Other partitions would replace the table:
# the provider refuses that while deletion_protection is on (README.md, "Change a table").
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
}

# A view has the name that the queries use and passes their filter to the table behind it, which is pruned as if it were
# named itself.
resource "google_bigquery_table" "log_view" {
  for_each = local.views

  dataset_id          = google_bigquery_dataset.logs.dataset_id
  table_id            = each.key
  description         = "Source ${each.key}, kept in ${var.log_tables[each.key]}."
  deletion_protection = false # There is nothing in it to lose.

  view {
    query          = each.value.query
    use_legacy_sql = false
  }

  # A source that moves from table to view keeps its id: the table is destroyed first. In the other direction, the view is.
  depends_on = [google_bigquery_table.log]
}
