# Who may call the functions, and what each service account may do.

mock_provider "google" {
  source = "./tests/mocks/google"
}

mock_provider "random" {
  source = "./tests/mocks/random"
}

# Each account and function has values of its own, so that a test notices when one is used in place of another.
override_resource {
  target = google_service_account.build
  values = {
    id     = "projects/test-project/serviceAccounts/build@test-project.iam.gserviceaccount.com"
    member = "serviceAccount:build@test-project.iam.gserviceaccount.com"
  }
}

override_resource {
  target = google_service_account.query
  values = {
    email  = "query@test-project.iam.gserviceaccount.com"
    member = "serviceAccount:query@test-project.iam.gserviceaccount.com"
  }
}

override_resource {
  target = google_service_account.scheduler
  values = {
    email  = "scheduler@test-project.iam.gserviceaccount.com"
    member = "serviceAccount:scheduler@test-project.iam.gserviceaccount.com"
  }
}

override_resource {
  target = google_cloudfunctions2_function.query
  values = { service_config = { uri = "https://query-abc-ew.a.run.app" } }
}

override_resource {
  target = google_cloudfunctions2_function.warm
  values = { service_config = { uri = "https://warm-abc-ew.a.run.app" } }
}

# The defaults that the tests need, because `terraform test` also reads a terraform.tfvars in infra/.
variables {
  names               = { query_function = "sales", warm_function = "sales-warm", scheduler_job = "sales-job", bigquery_dataset = "saved_query_logs", firestore_database = "saved-queries", keys_database = "saved-queries-keys" }
  deployment          = null
  public_access       = "ALL_USERS"
  deletion_protection = false # The end of the test destroys everything.
  project_id          = "test-project"
  sql_directory       = "../sql"
  alert_emails        = ["on-call@example.com"]
  bigquery_location   = "EU"
  grant_projects      = []
  log_tables          = {}
  query_ingress       = "ALLOW_ALL"
  settings            = {}
  api_keys = {
    dashboard = { endpoints = ["*"], readers = ["serviceAccount:dashboard@test-project.iam.gserviceaccount.com"] }
  }
}

run "only_the_scheduler_calls_warm" {
  assert {
    condition     = google_cloud_run_v2_service_iam_member.warm_scheduler.member == "serviceAccount:scheduler@test-project.iam.gserviceaccount.com"
    error_message = "The scheduler's account, and not the public, may call warm."
  }
  assert {
    condition     = google_cloud_run_v2_service_iam_member.warm_scheduler.name == "sales-warm" && google_cloud_run_v2_service_iam_member.query_public.name == "sales"
    error_message = "The public grant is on the service query, the scheduler's on the service warm, by the names that are given."
  }
  assert {
    condition     = length([for file in fileset(path.module, "*.tf") : file if strcontains(file("${path.module}/${file}"), "allAuthenticatedUsers")]) == 0
    error_message = "Nothing is open to everyone with a Google account."
  }
  assert {
    condition     = length(flatten([for file in fileset(path.module, "*.tf") : regexall("\"allUsers\"", file("${path.module}/${file}"))])) == 1
    error_message = "There is one public grant: run.invoker on query."
  }
  assert {
    condition     = google_cloudfunctions2_function.warm.service_config[0].ingress_settings == "ALLOW_INTERNAL_ONLY"
    error_message = "warm takes no traffic from the internet."
  }
}

run "scheduler_calls_as_itself_every_five_minutes" {
  assert {
    condition     = google_cloud_scheduler_job.warm.name == "sales-job" && google_cloud_scheduler_job.warm.schedule == "*/5 * * * *" && google_cloud_scheduler_job.warm.time_zone == "Etc/UTC"
    error_message = "warm runs every 300 seconds, by a job of the name that is given."
  }
  assert {
    condition     = google_cloud_scheduler_job.warm.http_target[0].oidc_token[0].service_account_email == "scheduler@test-project.iam.gserviceaccount.com"
    error_message = "The job calls with OIDC as its own identity."
  }
  assert {
    condition     = google_cloud_scheduler_job.warm.http_target[0].uri == "https://warm-abc-ew.a.run.app" && google_cloud_scheduler_job.warm.http_target[0].oidc_token[0].audience == "https://warm-abc-ew.a.run.app"
    error_message = "Target and audience are the run.app URL of warm."
  }
  assert {
    condition     = google_cloud_scheduler_job.warm.http_target[0].http_method == "POST" && length(google_cloud_scheduler_job.warm.http_target[0].oauth_token) == 0
    error_message = "The job posts, with an OIDC token and no OAuth token."
  }
}

run "deadlines_fit_into_each_other" {
  assert {
    condition = (tonumber(local.environment.WARM_BUDGET_SECONDS) < google_cloudfunctions2_function.warm.service_config[0].timeout_seconds
      && google_cloudfunctions2_function.warm.service_config[0].timeout_seconds < tonumber(trimsuffix(google_cloud_scheduler_job.warm.attempt_deadline, "s"))
    && tonumber(trimsuffix(google_cloud_scheduler_job.warm.attempt_deadline, "s")) < 300)
    error_message = "Budget of warm < timeout of warm < deadline of the job < the next run."
  }
  assert {
    condition     = tonumber(local.environment.QUERY_TIMEOUT_SECONDS) + 4 * tonumber(local.environment.FIRESTORE_TIMEOUT_SECONDS) < google_cloudfunctions2_function.query.service_config[0].timeout_seconds
    error_message = "A query and its four calls of Firestore time out before the function does."
  }
  assert {
    # Reads the file and not the resource, where the provider fills in values that are not set.
    condition     = google_cloud_scheduler_job.warm.retry_config[0].retry_count == 1 && length(regexall("max_retry_duration *=", file("${path.module}/scheduler.tf"))) == 0
    error_message = "One retry, limited by its count alone: with a duration as well, retries go on until both limits are reached."
  }
  assert {
    condition     = google_cloudfunctions2_function.warm.service_config[0].max_instance_count == 1 && google_cloudfunctions2_function.warm.service_config[0].max_instance_request_concurrency == 1
    error_message = "One run of warm at a time."
  }
}

run "runtime_identities_are_separate_and_read_only" {
  assert {
    condition = length(distinct([
      google_service_account.build.account_id, google_service_account.query.account_id,
      google_service_account.scheduler.account_id,
    ])) == 3
    error_message = "Build, functions and scheduler are three accounts."
  }
  assert {
    condition = (google_cloudfunctions2_function.query.service_config[0].service_account_email == "query@test-project.iam.gserviceaccount.com"
    && google_cloudfunctions2_function.warm.service_config[0].service_account_email == "query@test-project.iam.gserviceaccount.com")
    error_message = "Both functions run as one account: each reads the results of the other's queries."
  }
  assert {
    condition = alltrue([for function in [google_cloudfunctions2_function.query, google_cloudfunctions2_function.warm] :
    function.build_config[0].service_account == "projects/test-project/serviceAccounts/build@test-project.iam.gserviceaccount.com"])
    error_message = "The build has an account of its own."
  }
  assert {
    condition = toset([for grant in concat(values(google_project_iam_member.bigquery_jobs), values(google_project_iam_member.firestore)) : "${grant.member} ${grant.role}"]) == toset([
      "serviceAccount:query@test-project.iam.gserviceaccount.com roles/bigquery.jobUser",
      "serviceAccount:query@test-project.iam.gserviceaccount.com roles/datastore.user",
    ])
    error_message = "On the project, the runtime account may run jobs and use Firestore, and nothing else."
  }
  assert {
    condition     = alltrue([for grant in values(google_project_iam_member.firestore) : grant.condition[0].expression == "resource.name == \"projects/test-project/databases/saved-queries\""])
    error_message = "Firestore may be used in the database of the results only."
  }
  assert {
    condition = ([google_project_iam_member.keys_reader.member, google_project_iam_member.keys_reader.role] == ["serviceAccount:query@test-project.iam.gserviceaccount.com", "roles/datastore.viewer"]
    && google_project_iam_member.keys_reader.condition[0].expression == "resource.name == \"projects/test-project/databases/saved-queries-keys\"")
    error_message = "The runtime account may read the database of the keys, and not write."
  }
  assert {
    condition = toset([for grant in values(google_bigquery_dataset_iam_member.logs_reader) : "${grant.member} ${grant.role} ${grant.dataset_id}"]) == toset([
      "serviceAccount:query@test-project.iam.gserviceaccount.com roles/bigquery.dataViewer saved_query_logs",
    ])
    error_message = "On the logs, the runtime account may read."
  }
  assert {
    condition = alltrue(concat(
      [for grant in values(google_bigquery_table_iam_member.source_reader) : grant.role == "roles/bigquery.dataViewer"
      && grant.member == google_service_account.query.member],
      [for grant in values(google_bigquery_dataset_iam_member.source_reader) : grant.role == "roles/bigquery.dataViewer"
      && grant.member == google_service_account.query.member],
    ))
    error_message = "On tables that exist already, the runtime account may read."
  }
}

run "the_build_account_builds_and_does_no_more" {
  assert {
    condition = toset([for grant in values(google_project_iam_member.build) : "${grant.member} ${grant.role}"]) == toset([
      "serviceAccount:build@test-project.iam.gserviceaccount.com roles/artifactregistry.writer",
      "serviceAccount:build@test-project.iam.gserviceaccount.com roles/logging.logWriter",
      "serviceAccount:build@test-project.iam.gserviceaccount.com roles/storage.objectViewer",
    ])
    error_message = "A build stores the image, writes its log and reads the bundle."
  }
}

run "query_takes_requests_from_where_it_is_told" {
  variables {
    query_ingress = "ALLOW_INTERNAL_AND_GCLB"
    settings      = { FORWARDED_FOR_POSITION = "2" }
  }
  assert {
    condition     = google_cloudfunctions2_function.query.service_config[0].ingress_settings == "ALLOW_INTERNAL_AND_GCLB" && google_cloudfunctions2_function.warm.service_config[0].ingress_settings == "ALLOW_INTERNAL_ONLY"
    error_message = "query_ingress is for query; warm stays internal."
  }
}

run "no_way_of_access_ends_before_there_is_another" {
  command = plan
  variables {
    public_access = "NO_INVOKER_CHECK"
  }
  expect_failures = [terraform_data.access]
}

run "both_ways_of_access_are_open_in_between" {
  state_key = "both"
  variables {
    public_access       = "BOTH"
    query_min_instances = 1
    sql_directory       = "tests/sql/requests"
  }
  override_data {
    target = data.google_cloud_run_v2_service.query
    values = { template = [{ containers = [{ image = "europe-west1-docker.pkg.dev/test-project/gcf-artifacts/query" }] }] }
  }
  assert {
    condition     = google_cloud_run_v2_service_iam_member.query_public.member == "allUsers" && google_cloud_run_v2_service.public[0].invoker_iam_disabled && length(terraform_data.access) == 0
    error_message = "Callers reach the function and the service, and either way may be next."
  }
  assert {
    condition     = strcontains(google_logging_project_sink.requests[0].filter, "service_name=(\"sales-public\" OR \"sales\")") && strcontains(google_monitoring_alert_policy.alert["query_errors"].conditions[0].condition_threshold[0].filter, "service_name=one_of(\"sales-public\",\"sales\")")
    error_message = "Request lines and alerts are those of both."
  }
}

run "callers_reach_a_service_without_a_check_where_all_users_are_forbidden" {
  state_key = "service"
  variables {
    public_access       = "NO_INVOKER_CHECK"
    query_max_instances = 7
    query_min_instances = 1
    sql_directory       = "tests/sql/requests"
  }
  override_data {
    target = data.google_cloud_run_v2_service.query
    values = { template = [{ containers = [{ image = "europe-west1-docker.pkg.dev/test-project/gcf-artifacts/query" }] }] }
  }
  override_resource {
    target = google_cloud_run_v2_service.public
    values = { uri = "https://sales-public.example" }
  }
  assert {
    condition     = google_cloud_run_v2_service_iam_member.query_public.member == "serviceAccount:query@test-project.iam.gserviceaccount.com" && google_cloud_run_v2_service.public[0].invoker_iam_disabled
    error_message = "Nothing is granted to allUsers, and the service has no check."
  }
  assert {
    condition     = data.google_cloud_run_v2_service.query[0].name == "sales" && google_cloud_run_v2_service.public[0].name == "sales-public" && google_cloud_run_v2_service.public[0].template[0].containers[0].image == "europe-west1-docker.pkg.dev/test-project/gcf-artifacts/query"
    error_message = "The service has the image of the function."
  }
  assert {
    condition = (google_cloud_run_v2_service.public[0].template[0].service_account == "query@test-project.iam.gserviceaccount.com" && google_cloud_run_v2_service.public[0].template[0].max_instance_request_concurrency == 40
      && google_cloud_run_v2_service.public[0].template[0].timeout == "60s" && google_cloud_run_v2_service.public[0].template[0].scaling[0].max_instance_count == 7 && google_cloud_run_v2_service.public[0].ingress == "INGRESS_TRAFFIC_ALL"
      && { for env in google_cloud_run_v2_service.public[0].template[0].containers[0].env : env.name => env.value } == merge({ for name, value in google_cloudfunctions2_function.query.service_config[0].environment_variables : name => value }, { FUNCTION_TARGET = "query" })
    && google_cloud_run_v2_service.public[0].template[0].annotations.bundle == google_storage_bucket_object.bundle.name)
    error_message = "The service is as the function, and new code makes a new revision of it."
  }
  assert {
    condition     = output.query_url == "https://sales-public.example" && strcontains(output.example, "https://sales-public.example/api/endpoints/query/")
    error_message = "Callers are told the address of the service."
  }
  assert {
    condition     = google_cloud_run_v2_service.public[0].template[0].scaling[0].min_instance_count == 1 && google_cloudfunctions2_function.query.service_config[0].min_instance_count == 0
    error_message = "The function, which nobody reaches, keeps no instance."
  }
  assert {
    condition     = alltrue([for filter in [google_logging_metric.metric["requests"].filter, google_logging_metric.metric["bytes_processed"].filter, google_logging_project_sink.requests[0].filter, google_monitoring_alert_policy.alert["query_exhausted"].conditions[0].condition_matched_log[0].filter] : strcontains(filter, "\"sales-public\"")])
    error_message = "Metrics, alerts and request lines are those of the service that callers reach."
  }
}

run "a_load_balancer_alone_reaches_the_service_that_is_told_so" {
  state_key = "service"
  variables {
    public_access = "NO_INVOKER_CHECK"
    query_ingress = "ALLOW_INTERNAL_AND_GCLB"
    settings      = { FORWARDED_FOR_POSITION = "2" }
  }
  override_data {
    target = data.google_cloud_run_v2_service.query
    values = { template = [{ containers = [{ image = "europe-west1-docker.pkg.dev/test-project/gcf-artifacts/query" }] }] }
  }
  assert {
    condition     = google_cloud_run_v2_service.public[0].ingress == "INGRESS_TRAFFIC_INTERNAL_LOAD_BALANCER" && google_cloud_run_v2_service.public[0].invoker_iam_disabled && google_cloud_run_v2_service_iam_member.query_public.member != "allUsers"
    error_message = "Requests come through the load balancer, and IAM does not check them."
  }
}

run "no_role_is_broader_than_those_reviewed" {
  # Reads the files and not the resources, so that grants that are added later are checked too.
  assert {
    condition = toset(flatten([for file in fileset(path.module, "*.tf") : regexall("\"(roles/[A-Za-z.]+)\"", file("${path.module}/${file}"))])) == toset([
      "roles/artifactregistry.writer", "roles/bigquery.dataEditor", "roles/bigquery.dataViewer", "roles/bigquery.jobUser", "roles/bigquery.metadataViewer", "roles/datastore.user",
      "roles/datastore.viewer", "roles/logging.logWriter", "roles/run.invoker", "roles/secretmanager.secretAccessor", "roles/storage.objectViewer",
    ])
    error_message = "A role was added or removed: give its reason in iam.tf, and change this list. No editor, owner or dataOwner; dataEditor is the sink's, on its own dataset."
  }
  assert {
    condition     = flatten([for file in fileset(path.module, "*.tf") : regexall("_iam_(?:policy|binding)\"|\"(?:OWNER|WRITER)\"", file("${path.module}/${file}"))]) == []
    error_message = "Grants are added one by one (iam_member) and replace no others, and none is a legacy owner or writer."
  }
}

run "functions_are_production" {
  assert {
    condition     = google_cloudfunctions2_function.query.build_config[0].entry_point == "query" && google_cloudfunctions2_function.warm.build_config[0].entry_point == "warm"
    error_message = "The entry points are query and warm."
  }
  assert {
    condition     = alltrue([for function in [google_cloudfunctions2_function.query, google_cloudfunctions2_function.warm] : function.build_config[0].runtime == "nodejs24"])
    error_message = "The runtime is nodejs24."
  }
  assert {
    condition = alltrue([for function in [google_cloudfunctions2_function.query, google_cloudfunctions2_function.warm] : (
      function.service_config[0].environment_variables.NODE_ENV == "production"
      && function.service_config[0].environment_variables.MALLOC_ARENA_MAX == "2"
      && function.service_config[0].environment_variables.GOOGLE_CLOUD_PROJECT == "test-project"
      && function.service_config[0].environment_variables.BIGQUERY_DATASET == "saved_query_logs"
      && function.service_config[0].environment_variables.BIGQUERY_LOCATION == "EU"
      && function.service_config[0].environment_variables.FIRESTORE_DATABASE == "saved-queries"
      && function.service_config[0].environment_variables.KEYS_DATABASE == "saved-queries-keys"
      && function.service_config[0].environment_variables.CONSOLE == "off"
      && function.service_config[0].environment_variables.MCP == "off"
      && !contains(values(function.service_config[0].environment_variables), "")
    )])
    error_message = "Both functions have the settings of their deployment and run in production."
  }
  assert {
    condition     = google_cloudfunctions2_function.query.service_config[0].max_instance_request_concurrency > 1 && tonumber(google_cloudfunctions2_function.query.service_config[0].available_cpu) >= 1
    error_message = "Concurrency above one needs a whole CPU."
  }
  assert {
    condition     = strcontains(google_storage_bucket_object.bundle.name, filesha256("../dist/function.zip"))
    error_message = "The object is named after its content, so that new code is deployed."
  }
  assert {
    condition     = google_storage_bucket_object.bundle.deletion_policy == "ABANDON"
    error_message = "The bundle of an earlier version stays in the bucket."
  }
}

run "settings_override_defaults" {
  variables {
    settings = { LOG_LEVEL = "debug", MAX_BYTES_BILLED = "1073741824" }
  }
  assert {
    condition = (google_cloudfunctions2_function.query.service_config[0].environment_variables.LOG_LEVEL == "debug"
      && google_cloudfunctions2_function.warm.service_config[0].environment_variables.MAX_BYTES_BILLED == "1073741824"
    && google_cloudfunctions2_function.query.service_config[0].environment_variables.LEASE_SECONDS == "10")
    error_message = "A setting given replaces its default, the others stay."
  }
}

run "alerts_go_to_every_address" {
  assert {
    condition     = alltrue([for policy in values(google_monitoring_alert_policy.alert) : length(policy.notification_channels) == 1])
    error_message = "Each alert goes to each address."
  }
  assert {
    condition     = google_monitoring_alert_policy.alert["warm_not_succeeding"].conditions[0].condition_absent[0].duration == "900s"
    error_message = "15 minutes without a successful run of warm is an alert."
  }
  assert {
    condition     = length([for policy in values(google_monitoring_alert_policy.alert) : policy if strcontains(jsonencode(policy.conditions), "logging.googleapis.com/user/")]) == 0
    error_message = "No alert depends on a log-based metric: it would fail on the first apply."
  }
  assert {
    condition     = length(jsondecode(google_monitoring_dashboard.service.dashboard_json).mosaicLayout.tiles) == 8
    error_message = "The dashboard has its eight charts."
  }
}

run "alerts_go_to_given_channels_with_given_thresholds" {
  variables {
    notification_channels = ["projects/test-project/notificationChannels/123"]
    alert_thresholds      = { server_errors = 50, server_errors_share = 0.025 }
  }
  assert {
    condition     = alltrue([for policy in values(google_monitoring_alert_policy.alert) : contains(policy.notification_channels, "projects/test-project/notificationChannels/123") && length(policy.notification_channels) == 2])
    error_message = "Each alert goes to each address and each channel."
  }
  assert {
    condition = ([for condition in google_monitoring_alert_policy.alert["query_errors"].conditions : [condition.display_name, condition.condition_threshold[0].threshold_value]]
    == [["5xx ratio above 2.5 % for 5 minutes", 0.025], ["At least 50 5xx in 5 minutes", 49]])
    error_message = "Given thresholds hold, and the names say them."
  }
  assert {
    condition = ([for condition in concat(google_monitoring_alert_policy.alert["query_unauthenticated"].conditions, [google_monitoring_alert_policy.alert["warm_not_succeeding"].conditions[1]]) : [condition.display_name, condition.condition_threshold[0].threshold_value]]
    == [["401 ratio above 20 % for 5 minutes", 0.2], ["At least twenty 401 in 5 minutes", 19], ["Three failed calls of warm in 15 minutes", 2]])
    error_message = "The others stay as they were before there was a variable."
  }
  assert {
    condition     = length(google_monitoring_uptime_check_config.health) == 0 && length(google_monitoring_alert_policy.uptime) == 0
    error_message = "A check from outside is made only if it is asked for."
  }
}

run "a_check_from_outside_calls_health_and_alerts" {
  variables {
    uptime_check  = "api.example.com"
    query_ingress = "ALLOW_INTERNAL_AND_GCLB"
  }
  assert {
    condition = (google_monitoring_uptime_check_config.health[0].http_check[0].path == "/health" && google_monitoring_uptime_check_config.health[0].http_check[0].use_ssl
    && google_monitoring_uptime_check_config.health[0].monitored_resource[0].labels.host == "api.example.com")
    error_message = "It calls /health by TLS."
  }
  assert {
    condition     = strcontains(google_monitoring_alert_policy.uptime[0].conditions[0].condition_threshold[0].filter, google_monitoring_uptime_check_config.health[0].uptime_check_id) && length(google_monitoring_alert_policy.uptime[0].notification_channels) == 1
    error_message = "Its alert goes where the others go."
  }
}

run "alerts_need_no_address" {
  variables {
    alert_emails = []
  }
  assert {
    condition     = length(google_monitoring_notification_channel.email) == 0 && length(google_monitoring_alert_policy.alert["query_errors"].notification_channels) == 0
    error_message = "Without an address the alerts exist and notify nobody."
  }
}
