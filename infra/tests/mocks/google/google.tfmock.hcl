# What Google Cloud would fill in, where the configuration or a test reads it.

mock_resource "google_service_account" {
  defaults = {
    id     = "projects/test-project/serviceAccounts/account@test-project.iam.gserviceaccount.com"
    email  = "account@test-project.iam.gserviceaccount.com"
    member = "serviceAccount:account@test-project.iam.gserviceaccount.com"
  }
}

mock_resource "google_logging_project_sink" {
  defaults = { writer_identity = "serviceAccount:service-1@gcp-sa-logging.iam.gserviceaccount.com" }
}

mock_resource "google_secret_manager_secret" {
  defaults = { id = "projects/test-project/secrets/secret" }
}
