# Values that are refused, each for one reason. Log sources are those of sql/, whatever they are.

mock_provider "google" {
  source = "./tests/mocks/google"
}

mock_provider "random" {
  source = "./tests/mocks/random"
}

variables {
  names          = { bigquery_dataset = "saved_query_logs", keys_database = "saved-queries-keys" }
  deployment     = null
  public_access  = "ALL_USERS"
  project_id     = "test-project"
  sql_directory  = "../sql"
  alert_emails   = []
  api_keys       = {}
  grant_projects = []
  log_tables     = {}
  query_ingress  = "ALLOW_ALL"
  settings       = {}
}

run "refuses_a_project_number" {
  command = plan
  variables {
    project_id = "123456789012"
  }
  expect_failures = [var.project_id]
}

run "refuses_a_zone_for_a_region" {
  command = plan
  variables {
    region = "europe-west1-b"
  }
  expect_failures = [var.region]
}

run "refuses_an_unknown_location" {
  command = plan
  variables {
    bigquery_location = "europe"
  }
  expect_failures = [var.bigquery_location]
}

run "refuses_a_region_that_does_not_exist" {
  command = plan
  variables {
    region = "europe-west99"
  }
  expect_failures = [var.region]
}

run "refuses_a_region_that_does_not_exist_for_the_dataset" {
  command = plan
  variables {
    bigquery_location = "us-central9"
  }
  expect_failures = [var.bigquery_location]
}

run "refuses_a_name_of_1025_letters" {
  command = plan
  variables {
    names = { bigquery_dataset = join("", [for i in range(205) : "lettr"]) }
  }
  expect_failures = [var.names]
}

run "refuses_a_database_that_looks_like_a_uuid" {
  command = plan
  variables {
    names = { firestore_database = "a1b2c3d4-0000-4000-8000-0123456789ab" }
  }
  expect_failures = [var.names]
}

run "refuses_a_database_of_keys_that_looks_like_a_uuid" {
  command = plan
  variables {
    names = { keys_database = "a1b2c3d4-0000-4000-8000-0123456789ab" }
  }
  expect_failures = [var.names]
}

run "refuses_secrets_in_a_multi_region" {
  command = plan
  variables {
    secret_locations = ["EU"]
  }
  expect_failures = [var.secret_locations]
}

run "refuses_secrets_twice_in_a_region" {
  command = plan
  variables {
    secret_locations = ["europe-west1", "europe-west1"]
  }
  expect_failures = [var.secret_locations]
}

run "refuses_a_dataset_with_a_hyphen" {
  command = plan
  variables {
    names = { bigquery_dataset = "saved-query-logs" }
  }
  expect_failures = [var.names]
}

run "refuses_a_database_with_a_capital" {
  command = plan
  variables {
    names = { firestore_database = "Saved-queries" }
  }
  expect_failures = [var.names]
}

run "refuses_a_database_of_keys_with_three_letters" {
  command = plan
  variables {
    names = { keys_database = "abc" }
  }
  expect_failures = [var.names]
}

run "refuses_keys_beside_the_results" {
  command = plan
  variables {
    names = { firestore_database = "saved-queries-keys" }
  }
  expect_failures = [var.names]
}

run "refuses_a_limit_of_nothing" {
  command = plan
  variables {
    bytes_billed_per_hour_max = 0
  }
  expect_failures = [var.bytes_billed_per_hour_max]
}

run "refuses_an_address_without_a_domain" {
  command = plan
  variables {
    alert_emails = ["on-call"]
  }
  expect_failures = [var.alert_emails]
}

run "refuses_more_minimum_than_maximum_instances" {
  command = plan
  variables {
    query_max_instances = 2
    query_min_instances = 3
  }
  expect_failures = [var.query_min_instances]
}

run "refuses_a_maximum_of_no_instances" {
  command = plan
  variables {
    query_max_instances = 0
  }
  expect_failures = [var.query_max_instances]
}

run "refuses_logs_kept_for_less_than_eight_days" {
  command = plan
  variables {
    log_retention_days = 7
  }
  expect_failures = [var.log_retention_days]
}

run "refuses_more_partitions_by_hour_than_bigquery_allows" {
  command = plan
  variables {
    sql_directory      = "tests/sql/hour"
    log_retention_days = 417
  }
  expect_failures = [var.log_retention_days]
}

run "accepts_as_many_days_by_day" {
  command = plan
  variables {
    sql_directory      = "tests/sql/day"
    log_retention_days = 417
  }
}

run "refuses_requests_kept_for_more_days_than_partitions" {
  command = plan
  variables {
    request_retention_days = 10001
  }
  expect_failures = [var.request_retention_days]
}

run "refuses_an_unknown_log_source" {
  command = plan
  variables {
    log_tables = { no_such_source = "test-project.logs.auth" }
  }
  expect_failures = [var.log_tables]
}

run "refuses_a_table_without_a_project" {
  command = plan
  variables {
    log_tables = { for file in fileset("../sql/sources", "*/schema.json") : dirname(file) => "logs.existing" if !strcontains(dirname(file), ".") && can(jsondecode(file("../sql/sources/${dirname(file)}/table.json")).partitioning.type) == can(jsondecode(file("../sql/sources/${dirname(file)}/table.json")).partitioning.field) }
  }
  expect_failures = [var.log_tables]
}

run "refuses_a_view_onto_its_own_dataset" {
  command = plan
  variables {
    log_tables = { for file in fileset("../sql/sources", "*/schema.json") : dirname(file) => "test-project.saved_query_logs.existing" if !strcontains(dirname(file), ".") && can(jsondecode(file("../sql/sources/${dirname(file)}/table.json")).partitioning.type) == can(jsondecode(file("../sql/sources/${dirname(file)}/table.json")).partitioning.field) }
  }
  expect_failures = [var.log_tables]
}

run "refuses_a_grant_in_a_dataset" {
  command = plan
  variables {
    grant_projects = ["other-project.crm"]
  }
  expect_failures = [var.grant_projects]
}

run "refuses_an_unknown_setting" {
  command = plan
  variables {
    settings = { LOG_LEVELS = "debug" }
  }
  expect_failures = [var.settings]
}

run "refuses_a_setting_that_has_its_own_variable" {
  command = plan
  variables {
    settings = { BIGQUERY_DATASET = "other" }
  }
  expect_failures = [var.settings]
}

run "refuses_a_word_for_a_number" {
  command = plan
  variables {
    settings = { LEASE_SECONDS = "ten" }
  }
  expect_failures = [var.settings]
}

run "refuses_a_query_that_outlives_its_function" {
  command = plan
  variables {
    settings = { QUERY_TIMEOUT_SECONDS = "60" }
  }
  expect_failures = [var.settings]
}

run "refuses_a_warm_run_that_outlives_its_function" {
  command = plan
  variables {
    settings = { WARM_BUDGET_SECONDS = "300" }
  }
  expect_failures = [var.settings]
}

run "refuses_a_word_that_a_setting_does_not_know" {
  command = plan
  variables {
    settings = { WARM_UNCHANGED = "true" }
  }
  expect_failures = [var.settings]
}

run "refuses_a_reservation_without_its_project" {
  command = plan
  variables {
    settings = { BIGQUERY_RESERVATION = "prod" }
  }
  expect_failures = [var.settings]
}

run "refuses_a_reservation_in_another_location" {
  command = plan
  variables {
    settings = { BIGQUERY_RESERVATION = "projects/slots/locations/us/reservations/prod" }
  }
  expect_failures = [var.settings]
}

run "refuses_a_label_with_a_capital" {
  command = plan
  variables {
    settings = { DEPLOYMENT = "Production" }
  }
  expect_failures = [var.settings]
}

run "refuses_an_origin_with_its_default_port" {
  command = plan
  variables {
    settings = { CORS_ORIGINS = "https://a.example.com:443" }
  }
  expect_failures = [var.settings]
}

run "refuses_an_unknown_ingress" {
  command = plan
  variables {
    query_ingress = "all"
  }
  expect_failures = [var.query_ingress]
}

run "refuses_addresses_stated_by_a_load_balancer_that_anyone_can_pass_by" {
  command = plan
  variables {
    settings = { FORWARDED_FOR_POSITION = "2" }
  }
  expect_failures = [var.settings]
}

run "refuses_a_threshold_that_does_not_exist" {
  command = plan
  variables {
    alert_thresholds = { errors = 5 }
  }
  expect_failures = [var.alert_thresholds]
}

run "refuses_a_share_of_five" {
  command = plan
  variables {
    alert_thresholds = { server_errors_share = 5 }
  }
  expect_failures = [var.alert_thresholds]
}

run "refuses_a_number_that_is_not_whole" {
  command = plan
  variables {
    alert_thresholds = { server_errors = 2.5 }
  }
  expect_failures = [var.alert_thresholds]
}

run "refuses_a_channel_by_its_name" {
  command = plan
  variables {
    notification_channels = ["slack"]
  }
  expect_failures = [var.notification_channels]
}

run "refuses_a_channel_twice" {
  command = plan
  variables {
    notification_channels = ["projects/a/notificationChannels/1", "projects/a/notificationChannels/1"]
  }
  expect_failures = [var.notification_channels]
}

run "refuses_a_host_with_https" {
  command = plan
  variables {
    uptime_check = "https://api.example.com"
  }
  expect_failures = [var.uptime_check]
}

run "refuses_a_check_from_outside_of_an_inside_address" {
  command = plan
  variables {
    query_ingress = "ALLOW_INTERNAL_ONLY"
    uptime_check  = true
  }
  expect_failures = [var.uptime_check]
}

run "refuses_backups_kept_for_a_year" {
  command = plan
  variables {
    keys_backup_days = 365
  }
  expect_failures = [var.keys_backup_days]
}

run "accepts_unusual_but_valid_values" {
  command = plan
  variables {
    names      = { firestore_database = "(default)" }
    log_tables = { for file in fileset("../sql/sources", "*/schema.json") : dirname(file) => "example.com:test-project.logs.existing-2026" if !strcontains(dirname(file), ".") && can(jsondecode(file("../sql/sources/${dirname(file)}/table.json")).partitioning.type) == can(jsondecode(file("../sql/sources/${dirname(file)}/table.json")).partitioning.field) }
    settings   = { BIGQUERY_RESERVATION = "projects/slots/locations/EU/reservations/prod", CORS_ORIGINS = "https://a.example.com,https://b.example.com", WARM_BUDGET_SECONDS = "200" }
    api_keys   = { d = { endpoints = ["*"] } }
  }
  assert {
    condition     = alltrue([for source in keys(var.log_tables) : local.views[source].project == "example.com:test-project" && local.views[source].table == "example.com:test-project.logs.existing-2026"])
    error_message = "A project id with a domain is one project id."
  }
}
