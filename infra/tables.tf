# What the folders of sql/sources become in BigQuery: tables as defined in table.json, views of existing tables, or grants to
# read existing tables.
#
# This file has only values computed from files and variables, so Terraform evaluates it without a provider:
# test/infra/tables.long.test.ts does so, and compares the values with the commands of `npm run deploy:gcloud`.

locals {
  sources_directory = "${var.sql_directory}/sources"

  # Without a table.json a table has neither partitions nor clustering.
  table_files = {
    for source in [for file in fileset(local.sources_directory, "*/schema.json") : dirname(file)] : source =>
    fileexists("${local.sources_directory}/${source}/table.json") ? file("${local.sources_directory}/${source}/table.json") : "{}"
  }
  table_definitions = { for source, text in local.table_files : source => try(jsondecode(text), {}) }

  # Those of our dataset. A source whose name has a dot (crm.customers) is an existing table of another dataset.
  sources = [for source in keys(local.table_definitions) : source if !strcontains(source, ".")]

  # BigQuery answers with RECORD, and with STRUCT here each plan would replace the table.
  schemas = { for source in local.sources : source => replace(file("${local.sources_directory}/${source}/schema.json"), "/(\"type\"\\s*:\\s*)\"STRUCT\"/", "$1\"RECORD\"") }

  # The places of existing tables. log_tables overrides table.json, and a name with a dot includes the dataset. A
  # project id may contain a colon and dots (example.com:project).
  existing_tables = {
    for source, table in {
      for source, definition in local.table_definitions :
      source => try(var.log_tables[source], local.own_tables[definition.table], definition.table, strcontains(source, ".") ? source : null)
    } :
    source => regex("^(?P<project>.+)\\.(?P<dataset>[^.]+)\\.(?P<table>[^.]+)$", length(split(".", table)) == 2 ? "${var.project_id}.${table}" : table)
    if table != null
  }

  tables = {
    for source in local.sources : source => {
      schema = local.schemas[source]
      partitioning = try(local.table_definitions[source].partitioning, null) == null ? null : {
        type          = try(local.table_definitions[source].partitioning.type, null)
        field         = try(local.table_definitions[source].partitioning.field, null)                                                                    # Without: by time of ingestion.
        expiration_ms = try(local.table_definitions[source].partitioning.expires, false) ? coalesce(var.log_retention_days, 0) * 24 * 60 * 60 * 1000 : 0 # 0 keeps all; null would keep the last limit.
      }
      clustering               = try(local.table_definitions[source].clustering, null)
      require_partition_filter = try(local.table_definitions[source].requirePartitionFilter, false)
    } if !contains(keys(local.existing_tables), source)
  }

  # The types of partitions that log_retention_days ends, and how many days BigQuery's 10,000 partitions of each are.
  expiring_partitions = {
    for source in local.sources : source => try(local.table_definitions[source].partitioning.type, null)
    if try(local.table_definitions[source].partitioning.expires, false) && try(var.log_tables[source], local.table_definitions[source].table, null) == null
  }
  partition_days_max = { HOUR = 416, DAY = 10000, MONTH = 300000, YEAR = 3650000 }

  # A view shows the columns of schema.json and no others. `columns` says where the table has those of other names.
  views = {
    for source, table in local.existing_tables : source => {
      project = table.project
      dataset = table.dataset
      table   = "${table.project}.${table.dataset}.${table.table}"
      query = format("SELECT %s FROM `%s.%s.%s`",
        join(", ", [
          for column in jsondecode(local.schemas[source]) : try("${local.table_definitions[source].columns[column.name]} AS `${column.name}`", "`${column.name}`")
        ]), table.project, table.dataset, table.table,
      )
    } if !strcontains(source, ".")
  }

  # The tables behind the views, which warming checks for changes: a view does not report them.
  source_tables = join(",", [for source, view in local.views : "${source}=${view.table}"])

  # What the functions read outside our dataset, because queries name it there: tables, and of shards, each of which is a
  # table, their dataset. None of it is created.
  read_grants = {
    for name, places in {
      for source, table in local.existing_tables : (
        try(local.table_definitions[source].shards, null) == null ? "${table.project}.${table.dataset}.${table.table}" : "${table.project}.${table.dataset}"
      ) => table... if strcontains(source, ".")
      } : name => {
      project = places[0].project
      dataset = places[0].dataset
      table   = name == "${places[0].project}.${places[0].dataset}" ? null : places[0].table
      # In other projects Terraform may lack the permission: the output read_grants has the commands.
      by_terraform = contains(concat([var.project_id], var.grant_projects), places[0].project)
    } if "${places[0].project}.${places[0].dataset}" != "${var.project_id}.${local.names.bigquery_dataset}"
  }

  # The tables behind the views, once each: `warm` reads their metadata to see whether they have changed.
  metadata_grants = {
    for name, places in {
      for source, table in local.existing_tables : "${table.project}.${table.dataset}.${table.table}" => table... if !strcontains(source, ".")
      } : name => {
      project = places[0].project
      dataset = places[0].dataset
      table   = places[0].table
    }
  }

  # Ends the plan (bigquery.tf). `npm run check` reports other faults of a table.json.
  source_faults = concat(
    [for source, text in local.table_files : "${source}: its table.json is not JSON." if !can(jsondecode(text))],
    [
      for source, definition in local.table_definitions : "${source}: `type` in its table.json must be one of ${join(", ", keys(local.partition_days_max))}."
      if can(definition.partitioning.type) != can(keys(definition.partitioning)) || !contains(concat(keys(local.partition_days_max), ["none"]), try(definition.partitioning.type, "none"))
    ],
    [
      for source in local.sources : "${source} has shards, so its folder must be named dataset.table: no view shows _TABLE_SUFFIX."
      if try(local.table_definitions[source].shards, null) != null || endswith(try(local.views[source].table, ""), "*")
    ],
    [
      for source in keys(local.views) :
      "${source} is partitioned by time of ingestion, so its folder must be named dataset.table: a view has no _PARTITIONTIME."
      if try(local.table_definitions[source].partitioning, null) != null && try(local.table_definitions[source].partitioning.field, null) == null
    ],
    [
      for source, view in local.views :
      "${source} would be a view of a table in the dataset of the views: name its folder dataset.table, and no view is needed."
      if "${view.project}.${view.dataset}" == "${var.project_id}.${local.names.bigquery_dataset}"
    ],
  )
}
