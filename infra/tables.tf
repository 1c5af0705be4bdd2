# What the folders of sql/sources become in BigQuery: tables as their table.json says, or views onto existing tables.
#
# This file holds values only, made from files and two variables, so Terraform evaluates it without a provider:
# test/infra-tables.test.ts does so, and compares the values with the commands of `npm run deploy:gcloud`.

locals {
  sources_directory = "${path.module}/../sql/sources"

  # A source whose name has a dot (crm.customers) is a table of another dataset. It exists already.
  sources = [
    for file in fileset(local.sources_directory, "*/schema.json") : dirname(file) if !strcontains(dirname(file), ".")
  ]

  schemas = { for source in local.sources : source => file("${local.sources_directory}/${source}/schema.json") }

  # Without a table.json a table has neither partitions nor clustering.
  table_definitions = {
    for source in local.sources : source => jsondecode(
      fileexists("${local.sources_directory}/${source}/table.json") ? file("${local.sources_directory}/${source}/table.json") : "{}"
    )
  }

  tables = {
    for source, definition in local.table_definitions : source => {
      schema = local.schemas[source]
      partitioning = try(definition.partitioning, null) == null ? null : {
        type          = definition.partitioning.type
        field         = definition.partitioning.field
        expiration_ms = coalesce(var.log_retention_days, 0) * 24 * 60 * 60 * 1000 # 0 keeps all; null would keep the last limit.
      }
      clustering               = try(definition.clustering, null)
      require_partition_filter = try(definition.requirePartitionFilter, false)
    } if !contains(keys(var.log_tables), source)
  }

  # A view shows the columns of schema.json and no others.
  views = {
    for source in local.sources : source => {
      query = format("SELECT %s FROM `%s`",
        join(", ", [for column in jsondecode(local.schemas[source]) : "`${column.name}`"]), var.log_tables[source],
      )
    } if contains(keys(var.log_tables), source)
  }
}
