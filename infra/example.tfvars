# Copy to terraform.tfvars, which git ignores, and fill in. For a second deployment in the project, copy to NAME.tfvars (docs/recipes.md). Only project_id has no default.

project_id   = "my-project"
alert_emails = ["on-call@example.com"]

api_keys = {
  # A dashboard that may see everything. Its key is generated; the dashboard's account reads it from Secret Manager.
  dashboard = {
    endpoints = ["*"]
    readers   = ["serviceAccount:dashboard@my-project.iam.gserviceaccount.com"]
  }

  # A partner who sees one project, until the end of January, with a key created elsewhere.
  partner = {
    endpoints  = ["functions.invocation-stats"]
    parameters = { project = ["abcdefghijklmnopqrst"] }
    expires_at = "2027-01-31T00:00:00Z"
    sha256     = "0000000000000000000000000000000000000000000000000000000000000000" # printf %s "$KEY" | sha256sum
  }

  # An agent. In a minute, each instance answers 60 of its requests and runs a query for at most 10 of them.
  agent = {
    endpoints           = ["*"]
    requests_per_minute = 60
    misses_per_minute   = 10
    bytes_per_day       = 50000000000 # What BigQuery may bill for it in a day.
  }
}

# A daily copy of the API keys (docs/restore.md).
# keys_backup_days = 14

# Logs that Logflare already writes: views onto its tables instead of tables of our own.
# log_tables = {
#   function_relay_logs = "my-project.1_prod.00000000_0000_0000_0000_000000000001"
#   edge_logs           = "my-project.1_prod.00000000_0000_0000_0000_000000000002"
# }

# Other projects in which Terraform may let the functions read existing tables.
# grant_projects = ["acme-crm"]

# Behind a load balancer of your own, these two go together.
# query_ingress = "ALLOW_INTERNAL_AND_GCLB"
# settings      = { FORWARDED_FOR_POSITION = "2" }

# settings = { CORS_ORIGINS = "https://dashboard.example.com", LOG_LEVEL = "debug" }
