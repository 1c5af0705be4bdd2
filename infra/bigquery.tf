# The dataset that the saved queries read, with a table or a view for each log source in sql/sources.

locals {
  # The table behind each view. A project id may contain a colon and dots (example.com:project).
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

  # Grants are in iam.tf. `access` blocks here would replace them.
  depends_on = [google_project_service.enabled]
}

resource "google_bigquery_table" "log" {
  for_each = { for source, schema in local.log_sources : source => schema if !contains(keys(var.log_tables), source) }

  dataset_id               = google_bigquery_dataset.logs.dataset_id
  table_id                 = each.key
  description              = "Log source ${each.key}; schema in sql/sources."
  schema                   = file(each.value)
  require_partition_filter = true # BigQuery refuses a query that would read all days.
  deletion_protection      = var.deletion_protection

  # No clustering: the queries filter on fields inside repeated records, and a table is clustered by top-level columns only.
  time_partitioning {
    type          = "DAY"
    field         = "timestamp"
    expiration_ms = coalesce(var.log_retention_days, 0) * 24 * 60 * 60 * 1000 # 0 keeps all partitions; null would leave an earlier limit in place.
  }
}

# A view has the name that the queries use. Their filter on `timestamp` reaches the table behind the view, so BigQuery
# prunes its partitions as usual. The view has the columns of sql/sources and no others.
resource "google_bigquery_table" "log_view" {
  for_each = local.log_views

  dataset_id          = google_bigquery_dataset.logs.dataset_id
  table_id            = each.key
  description         = "Log source ${each.key}, kept in ${var.log_tables[each.key]}."
  deletion_protection = false # A view holds no data.

  view {
    query = format("SELECT %s FROM `%s.%s.%s`",
      join(", ", [for column in jsondecode(file(local.log_sources[each.key])) : "`${column.name}`"]),
      each.value.project, each.value.dataset, each.value.table,
    )
    use_legacy_sql = false
  }
}
