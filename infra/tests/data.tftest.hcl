# Firestore and BigQuery.

mock_provider "google" {
  source = "./tests/mocks/google"
}

mock_provider "random" {
  source = "./tests/mocks/random"
}

# The defaults, because `terraform test` also reads a terraform.tfvars in infra/. Sources and endpoints are those of sql/,
# whatever they are. Only a source that is not partitioned by time of ingestion can be a view.
variables {
  names               = { bigquery_dataset = "saved_query_logs", firestore_database = "saved-queries", keys_database = "saved-queries-keys" }
  project_id          = "test-project"
  sql_directory       = "../sql"
  api_keys            = {}
  deletion_protection = true
  deployment          = null
  grant_projects      = []
  log_retention_days  = 90
  log_tables          = {}
}

run "another_deployment_in_the_project_shares_no_name" {
  state_key = "staging"
  variables {
    names               = {}
    deletion_protection = false
    deployment          = "staging"
    sql_directory       = "tests/sql/requests"
    api_keys            = { agent = { endpoints = ["*"] } }
    alert_emails        = ["on-call@example.com"]
    uptime_check        = true
  }
  assert {
    condition     = [google_service_account.build.account_id, google_service_account.query.account_id, google_service_account.scheduler.account_id] == ["sq-staging-build", "sq-staging-query", "sq-staging-scheduler"]
    error_message = "Each deployment has accounts of its own, so the grants of one open nothing of another."
  }
  assert {
    condition     = [google_cloudfunctions2_function.query.name, google_cloudfunctions2_function.warm.name, google_cloud_scheduler_job.warm.name] == ["query-staging", "warm-staging", "warm-staging"]
    error_message = "Functions and job have the name of the deployment."
  }
  assert {
    condition = ([google_storage_bucket.source.name, google_bigquery_dataset.logs.dataset_id, google_bigquery_dataset.requests[0].dataset_id, google_firestore_database.store.name, google_firestore_database.keys.name]
    == ["test-project-sq-staging-source", "saved_query_logs_staging", "saved_query_requests_staging", "sq-staging-results", "sq-staging-keys"])
    error_message = "Rows, results, keys and code have places of their own."
  }
  assert {
    condition = ([google_secret_manager_secret.api_key["agent"].secret_id, google_logging_project_sink.requests[0].name, google_logging_metric.metric["requests"].name, google_logging_metric.metric["warm_lag"].name]
    == ["sq-staging-key-agent", "saved-query-requests-staging", "sq_staging_requests", "sq_staging_warm_lag"])
    error_message = "Secrets, sink and metrics have the name of the deployment."
  }
  assert {
    condition     = alltrue([for name in concat([jsondecode(google_monitoring_dashboard.service.dashboard_json).displayName, google_monitoring_alert_policy.uptime[0].display_name], [for alert in google_monitoring_alert_policy.alert : alert.display_name], [for channel in google_monitoring_notification_channel.email : channel.display_name]) : strcontains(name, "(staging)")])
    error_message = "Whoever gets an alert sees which deployment it is about."
  }
  assert {
    condition     = google_cloudfunctions2_function.query.service_config[0].environment_variables.DEPLOYMENT == "staging" && google_cloudfunctions2_function.query.service_config[0].environment_variables.KEYS_DATABASE == "sq-staging-keys"
    error_message = "The functions read their own keys, and label their jobs."
  }
  assert {
    condition     = google_bigquery_table.log_view["own_requests"].view[0].query == "SELECT `timestamp`, jsonPayload.keyname AS `key_name` FROM `test-project.saved_query_requests_staging.run_googleapis_com_stdout`"
    error_message = "The view of the request lines is that of this deployment."
  }
}

run "firestore_is_protected_and_cleans_up" {
  assert {
    condition     = google_firestore_database.store.delete_protection_state == "DELETE_PROTECTION_ENABLED" && google_firestore_database.store.type == "FIRESTORE_NATIVE"
    error_message = "The database of the results is protected."
  }
  assert {
    condition = (google_firestore_database.keys.name == "saved-queries-keys" && google_firestore_database.keys.delete_protection_state == "DELETE_PROTECTION_ENABLED"
    && google_firestore_database.keys.type == "FIRESTORE_NATIVE" && google_firestore_database.keys.location_id == google_firestore_database.store.location_id)
    error_message = "The keys have a protected database of their own, where the results are."
  }
  assert {
    condition     = google_firestore_database.keys.point_in_time_recovery_enablement == "POINT_IN_TIME_RECOVERY_ENABLED"
    error_message = "Lost keys can be read as they were."
  }
  assert {
    condition     = alltrue([for database in [google_firestore_database.store, google_firestore_database.keys] : database.concurrency_mode == "OPTIMISTIC"])
    error_message = "Reads take no locks."
  }
  assert {
    condition = (toset([for field in values(google_firestore_field.delete_at) : "${field.collection}.${field.field}"]) == toset(["results.deleteAt", "parts.deleteAt", "leases.deleteAt", "dayBytes.deleteAt"])
    && alltrue([for field in values(google_firestore_field.delete_at) : length(field.ttl_config) == 1]))
    error_message = "TTL is on deleteAt of results, their parts, leases and counted bytes, and not on API keys."
  }
  assert {
    condition = alltrue([for field in concat(values(google_firestore_field.delete_at), values(google_firestore_field.unindexed)) :
    length(field.index_config) == 1 && length(field.index_config[0].indexes) == 0])
    error_message = "Body, parameters, readers, sources and times that no query uses are not indexed."
  }
  assert {
    condition     = [for index in google_firestore_field.last_read_at.index_config[0].indexes : index.order] == ["DESCENDING"]
    error_message = "lastReadAt has the index that warm needs."
  }
  assert {
    condition = alltrue([for field in concat(values(google_firestore_field.delete_at), values(google_firestore_field.unindexed), [google_firestore_field.last_read_at]) :
    field.database == "saved-queries"])
    error_message = "All of it is in the database of the results."
  }
}

run "keys_have_daily_backups_if_asked_for" {
  variables {
    keys_backup_days = 14
  }
  assert {
    condition     = google_firestore_backup_schedule.keys[0].retention == "1209600s" && google_firestore_backup_schedule.keys[0].database == "saved-queries-keys" && length(google_firestore_backup_schedule.keys[0].daily_recurrence) == 1
    error_message = "The keys are copied each day."
  }
}

run "sources_are_tables" {
  assert {
    condition = (toset(keys(google_bigquery_table.log)) == toset([for source in local.sources : source if !can(local.table_definitions[source].table)])
    && toset(keys(google_bigquery_table.log_view)) == toset([for source in local.sources : source if can(local.table_definitions[source].table)]))
    error_message = "Without log_tables each source is a table, but for those whose table.json says where it is."
  }
  assert {
    condition = alltrue([for source, table in google_bigquery_table.log :
    table.time_partitioning[0].expiration_ms == 7776000000 if try(local.table_definitions[source].partitioning.expires, false)])
    error_message = "Partitions that expire are kept for 90 days."
  }
  assert {
    condition     = alltrue([for table in values(google_bigquery_table.log) : table.deletion_protection])
    error_message = "Tables are protected."
  }
  assert {
    condition = alltrue([for source, table in google_bigquery_table.log : (
      length(table.time_partitioning) == length(local.tables[source].partitioning[*])
      && table.require_partition_filter == local.tables[source].require_partition_filter
    )])
    error_message = "A table has the partitions and the filter of its table.json."
  }
  assert {
    condition = alltrue([for source, table in google_bigquery_table.log :
    jsondecode(table.schema) == jsondecode(file("${path.module}/../sql/sources/${source}/schema.json"))])
    error_message = "The schema of a table is that of sql/sources."
  }
  assert {
    condition     = keys(google_bigquery_dataset_access.log_views) == keys(local.log_view_datasets) && !google_bigquery_dataset.logs.delete_contents_on_destroy
    error_message = "Nothing is authorised elsewhere but what table.json names, and logs outlive a mistake."
  }
  assert {
    condition     = toset(keys(google_bigquery_table_iam_member.metadata_reader)) == toset([for view in values(local.views) : view.table])
    error_message = "Metadata is read where a view hides it, and nowhere else."
  }
}

run "sources_are_views" {
  variables {
    log_tables = { for file in fileset("../sql/sources", "*/schema.json") : dirname(file) => "logflare-project.1_prod.${dirname(file)}" if !strcontains(dirname(file), ".") && can(jsondecode(file("../sql/sources/${dirname(file)}/table.json")).partitioning.type) == can(jsondecode(file("../sql/sources/${dirname(file)}/table.json")).partitioning.field) }
  }
  assert {
    condition     = length(setintersection(keys(google_bigquery_table.log), keys(var.log_tables))) == 0 && toset([for view in values(google_bigquery_table.log_view) : view.table_id]) == toset(keys(var.log_tables))
    error_message = "A source named in log_tables is a view of the same name, and no table."
  }
  assert {
    condition = alltrue([for source, view in google_bigquery_table.log_view : (
      can(regex("^SELECT ((\\w+(\\.\\w+)* AS )?`[^`]+`, )*(\\w+(\\.\\w+)* AS )?`[^`]+` FROM `[^`]+`$", view.view[0].query))
      && jsonencode(flatten(regexall("`([^`]+)`", view.view[0].query))) == jsonencode(concat(
        [for column in jsondecode(file("${path.module}/../sql/sources/${source}/schema.json")) : column.name],
        ["logflare-project.1_prod.${source}"],
      ))
    )])
    error_message = "A view selects the columns of sql/sources from the table named."
  }
  assert {
    condition     = alltrue([for view in values(google_bigquery_table.log_view) : view.view[0].use_legacy_sql == false])
    error_message = "Views are GoogleSQL; unset would mean legacy SQL."
  }
  assert {
    condition     = [for access in values(google_bigquery_dataset_access.log_views) : "${access.project}.${access.dataset_id}"] == ["logflare-project.1_prod"]
    error_message = "One source dataset is authorised once."
  }
  assert {
    condition = alltrue([for access in values(google_bigquery_dataset_access.log_views) : (
      access.role == null && tolist(access.dataset[0].target_types) == tolist(["VIEWS"])
      && access.dataset[0].dataset[0].project_id == "test-project" && access.dataset[0].dataset[0].dataset_id == "saved_query_logs"
    )])
    error_message = "The views of our dataset are authorised, not an account."
  }
  assert {
    condition = toset([for grant in values(google_bigquery_table_iam_member.metadata_reader) : "${grant.member} ${grant.role} ${grant.project}.${grant.dataset_id}.${grant.table_id}"]) == toset([
      for source in keys(var.log_tables) : "${google_service_account.query.member} roles/bigquery.metadataViewer logflare-project.1_prod.${source}"
    ])
    error_message = "warm reads metadata of the tables behind the views, each of them."
  }
  assert {
    condition = alltrue([for function in [google_cloudfunctions2_function.query, google_cloudfunctions2_function.warm] :
    function.service_config[0].environment_variables.SOURCE_TABLES == join(",", [for source in keys(var.log_tables) : "${source}=logflare-project.1_prod.${source}"])])
    error_message = "The functions know the tables behind the views."
  }
}

run "sources_of_other_datasets_are_read" {
  assert {
    condition     = length([for source in concat(keys(google_bigquery_table.log), keys(google_bigquery_table.log_view)) : source if strcontains(source, ".")]) == 0
    error_message = "A source named dataset.table is never made, and has no view."
  }
  assert {
    condition = toset([for grant in concat(values(google_bigquery_table_iam_member.source_reader), values(google_bigquery_dataset_iam_member.source_reader)) : grant.project]) == toset(
      [for grant in values(local.read_grants) : "test-project" if grant.project == "test-project"],
    )
    error_message = "Terraform grants in its own project alone unless grant_projects names others."
  }
  assert {
    condition = alltrue([for grant in values(local.read_grants) :
    strcontains(output.read_grants, "${grant.project}${grant.table == null ? "." : ":"}${grant.dataset}") == (grant.project != "test-project")])
    error_message = "For each table in another project, and for no other, there is a command for its owner."
  }
}

run "request_lines_reach_the_source_that_reads_them" {
  variables {
    sql_directory          = "tests/sql/requests"
    deletion_protection    = false # The runs below have other sources, and destroy this one.
    request_retention_days = 40
  }
  assert {
    condition = (google_logging_project_sink.requests[0].destination == "bigquery.googleapis.com/projects/test-project/datasets/saved_query_requests"
      && google_logging_project_sink.requests[0].filter == "resource.type=\"cloud_run_revision\" AND resource.labels.service_name=\"query\" AND log_id(\"run.googleapis.com/stdout\") AND jsonPayload.event=\"request\""
    && google_logging_project_sink.requests[0].unique_writer_identity && google_logging_project_sink.requests[0].bigquery_options[0].use_partitioned_tables)
    error_message = "The request lines of query, and no others, go to a dataset of their own."
  }
  assert {
    condition = (google_bigquery_dataset_iam_member.requests_writer[0].dataset_id == "saved_query_requests" && google_bigquery_dataset_iam_member.requests_writer[0].role == "roles/bigquery.dataEditor"
    && google_bigquery_dataset_iam_member.requests_writer[0].member == "serviceAccount:service-1@gcp-sa-logging.iam.gserviceaccount.com")
    error_message = "The sink's account may write to that dataset."
  }
  assert {
    condition = (google_bigquery_table.requests[0].table_id == "run_googleapis_com_stdout" && google_bigquery_table.requests[0].require_partition_filter
      && google_bigquery_table.requests[0].time_partitioning[0].type == "DAY" && google_bigquery_table.requests[0].time_partitioning[0].field == "timestamp"
    && google_bigquery_table.requests[0].time_partitioning[0].expiration_ms == 3456000000 && google_bigquery_dataset.requests[0].default_partition_expiration_ms == 3456000000)
    error_message = "The table has the name and the partitions that a sink gives it, and they expire."
  }
  assert {
    condition     = google_bigquery_table.log_view["own_requests"].view[0].query == "SELECT `timestamp`, jsonPayload.keyname AS `key_name` FROM `test-project.saved_query_requests.run_googleapis_com_stdout`"
    error_message = "The view has the columns of schema.json alone, from where table.json says."
  }
  assert {
    condition     = keys(google_bigquery_dataset_access.log_views) == ["test-project.saved_query_requests"] && output.read_grants == ""
    error_message = "The deployment authorises the view of its own dataset."
  }
}

run "request_lines_of_another_sink" {
  variables {
    sql_directory       = "tests/sql/requests"
    deletion_protection = false
    log_tables          = { own_requests = "other-project.logs.run_googleapis_com_stdout" }
  }
  assert {
    condition     = length(google_logging_project_sink.requests) + length(google_bigquery_table.requests) + length(google_bigquery_dataset.requests) + length(google_bigquery_dataset_iam_member.requests_writer) == 0
    error_message = "If log_tables names the table of another sink, none is made."
  }
  assert {
    condition     = google_bigquery_table.log_view["own_requests"].view[0].query == "SELECT `timestamp`, jsonPayload.keyname AS `key_name` FROM `other-project.logs.run_googleapis_com_stdout`"
    error_message = "The view reads that table."
  }
}

run "a_test_deployment_can_be_destroyed" {
  variables {
    deletion_protection = false
    log_retention_days  = null
  }
  assert {
    condition = (alltrue([for database in [google_firestore_database.store, google_firestore_database.keys] :
      database.delete_protection_state == "DELETE_PROTECTION_DISABLED" && database.deletion_policy == "DELETE"])
      && alltrue([for table in values(google_bigquery_table.log) : !table.deletion_protection])
    && alltrue(flatten([for table in values(google_bigquery_table.log) : [for partitioning in table.time_partitioning : partitioning.expiration_ms == 0]])))
    error_message = "deletion_protection = false unprotects databases and tables; log_retention_days = null keeps all partitions."
  }
}

# BigQuery cannot change the type of partitions: an existing table keeps its own, and all else is applied.
run "a_table_with_partitions_by_day" {
  variables {
    sql_directory       = "tests/sql/day"
    deletion_protection = false
  }
  assert {
    condition     = google_bigquery_table.log["visits"].time_partitioning[0].type == "DAY"
    error_message = "A new table has the partitions of its table.json."
  }
}

run "keeps_its_partitions_by_day" {
  variables {
    sql_directory       = "tests/sql/hour"
    deletion_protection = false
    log_retention_days  = 30
  }
  expect_failures = [check.partition_types]
  assert {
    condition     = google_bigquery_table.log["visits"].time_partitioning[0].type == "DAY"
    error_message = "An existing table keeps the type of its partitions."
  }
  assert {
    condition     = google_bigquery_table.log["visits"].time_partitioning[0].expiration_ms == 2592000000 && google_bigquery_table.log["visits"].require_partition_filter
    error_message = "How long partitions are kept, and the filter, are applied to an existing table."
  }
}

# A typing error, a wrong file of variables or another region: the plan is refused.
run "keeps_its_project" {
  command = plan
  variables {
    project_id = "other-project"
  }
  expect_failures = [terraform_data.place]
}

run "keeps_its_region" {
  command = plan
  variables {
    region = "us-central1"
  }
  expect_failures = [terraform_data.place]
}

run "keeps_its_bigquery_dataset" {
  command = plan
  variables {
    names = { bigquery_dataset = "other_logs" }
  }
  expect_failures = [terraform_data.place]
}

run "keeps_its_bigquery_location" {
  command = plan
  variables {
    bigquery_location = "US"
  }
  expect_failures = [terraform_data.place]
}

run "keeps_its_firestore_database" {
  command = plan
  variables {
    names = { firestore_database = "other-results" }
  }
  expect_failures = [terraform_data.place]
}

run "keeps_its_keys_database" {
  command = plan
  variables {
    names = { keys_database = "other-keys" }
  }
  expect_failures = [terraform_data.place]
}
