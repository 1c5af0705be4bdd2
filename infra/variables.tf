# Everything that can differ between two deployments, in alphabetical order.

variable "alert_emails" {
  description = "Addresses to which alerts are sent. Without one, incidents are only shown in Cloud Monitoring."
  type        = list(string)
  default     = []
  nullable    = false

  validation {
    condition     = alltrue([for address in var.alert_emails : can(regex("^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$", address))])
    error_message = "Each of alert_emails must be an e-mail address."
  }
}

variable "alert_thresholds" {
  description = "Thresholds of alerts that differ from their defaults. `server_errors` (5) answers in 5 minutes and a share of `server_errors_share` (0.05) of all must be 5xx; `unauthenticated` (20) and `unauthenticated_share` (0.2) are the same for 401. `warm_failures` (3) is how many calls of `warm` must fail in 15 minutes."
  type        = map(number)
  default     = {}
  nullable    = false

  validation {
    condition     = length(setsubtract(keys(var.alert_thresholds), keys(local.defaults.alert_thresholds))) == 0
    error_message = "alert_thresholds has an unknown name. The known names are ${join(", ", keys(local.defaults.alert_thresholds))}."
  }
  validation {
    condition = alltrue([for name, value in var.alert_thresholds :
    try(endswith(name, "_share") ? value > 0 && value < 1 : value >= 1 && value <= 1000000 && floor(value) == value, false)])
    error_message = "In alert_thresholds, a share is a number between 0 and 1, such as 0.05, and all others are whole numbers from 1 to 1000000."
  }
}

variable "api_keys" {
  description = <<-EOT
    API keys by name. `endpoints`: names of the endpoints that the key may call, `group.*` for those of a group, or `*` for all; the last two do
    not open those with `mustBeNamed`. `parameters`: the only
    values that the key may pass for a parameter (literal values, never patterns). `expires_at`: when the key stops working,
    in UTC (2027-01-31T00:00:00Z). `requests_per_minute`: how many requests each instance answers for the key in a minute.
    `misses_per_minute`: how many of these may run a query because the cache has no rows for them. `bytes_per_day`: how many bytes BigQuery may bill for these
    queries in a day (UTC), over all instances. `sha256`: the lower-case hex SHA-256 of a key that
    you generated yourself. Without it, Terraform generates a key and stores it in Secret Manager, where the `readers` (IAM
    members) may read it. `public_key`: the key signs tokens with its private key, which Terraform never sees, and opens nothing itself; as PEM, from
    `openssl pkey -pubout`, and Ed25519. `token_seconds_max`: how long its tokens may be valid, 3600 by default. Removing a name revokes the key.
  EOT
  type        = any # An object type would drop a misspelt attribute silently: `expire_at` would create a key that never expires.
  default     = {}
  nullable    = false

  validation {
    condition     = can(keys(var.api_keys)) && alltrue([for key in try(values(var.api_keys), []) : can(keys(key))])
    error_message = "api_keys maps a name to an object."
  }
  validation {
    condition = alltrue(flatten([for name, key in try({ for name, key in var.api_keys : name => merge({ endpoints = null }, key) }, {}) : concat(
      [can(regex("^[a-z][a-z0-9-]{0,62}$", name))],
      [for attribute, value in key : can(local.key_rules[attribute]) && (value == null ? attribute != "endpoints" : try(
        can(regex(local.key_rules[attribute].pattern, attribute == "public_key" ? replace(jsonencode(value), "/\\\\[nrt]|\\s/", "") : jsonencode(value))) && try(value <= local.key_rules[attribute].max, true) && (attribute != "expires_at" || can(timeadd(value, "0s"))), false
      ))],
    )]))
    error_message = join("\n", flatten([for name, key in try({ for name, key in var.api_keys : name => merge({ endpoints = null }, key) }, {}) : concat(
      can(regex("^[a-z][a-z0-9-]{0,62}$", name)) ? [] : ["api_keys: the name \"${name}\" must be 1 to 63 lower-case letters, digits and hyphens, and start with a letter."],
      [for attribute, value in key : try("${attribute} of the key ${name} must be ${local.key_rules[attribute].must}.", "The key ${name} has ${attribute}. Keys have only ${join(", ", keys(local.key_rules))}.")
        if !(can(local.key_rules[attribute]) && (value == null ? attribute != "endpoints" : try(
          can(regex(local.key_rules[attribute].pattern, attribute == "public_key" ? replace(jsonencode(value), "/\\\\[nrt]|\\s/", "") : jsonencode(value))) && try(value <= local.key_rules[attribute].max, true) && (attribute != "expires_at" || can(timeadd(value, "0s"))), false
      )))],
    )]))
  }
  validation {
    condition     = alltrue([for key in try(values(var.api_keys), []) : length([for attribute in ["public_key", "readers", "sha256"] : 1 if try(length(key[attribute]) > 0, false)]) <= 1])
    error_message = "Only a generated key has readers, and no key has both sha256 and public_key: ${join(", ", [for name, key in var.api_keys : name if length([for attribute in ["public_key", "readers", "sha256"] : 1 if try(length(key[attribute]) > 0, false)]) > 1])}."
  }
  validation {
    condition     = alltrue([for key in try(values(var.api_keys), []) : try(key.token_seconds_max, null) == null || try(key.public_key, null) != null])
    error_message = "token_seconds_max needs a public_key: ${join(", ", [for name, key in var.api_keys : name if try(key.token_seconds_max, null) != null && try(key.public_key, null) == null])}."
  }
  validation {
    condition     = alltrue([for names in values({ for name, key in try({ for name, key in var.api_keys : name => key }, {}) : try(coalesce(key.sha256, replace(key.public_key, "/\\s/", "")), replace(key.public_key, "/\\s/", ""), name) => name... }) : length(names) == 1])
    error_message = "A key can have one name only. The same sha256 or public_key: ${join("; ", [for names in values({ for name, key in var.api_keys : try(coalesce(key.sha256, replace(key.public_key, "/\\s/", "")), replace(key.public_key, "/\\s/", ""), name) => name... }) : join(", ", names) if length(names) > 1])}."
  }
}

# What each attribute of a key must be.
locals {
  key_rules = yamldecode(file("${path.module}/key-rules.yaml"))
}

variable "bigquery_location" {
  description = "Location of the dataset and of every query. Existing tables must be in the same location."
  type        = string
  default     = null # As in defaults.json.

  validation {
    condition     = var.bigquery_location == null ? true : contains(concat(["EU", "US"], local.defaults.regions), var.bigquery_location)
    error_message = "bigquery_location must be EU, US or a region of Google Cloud such as europe-west1. If the region is new, add it to regions in infra/defaults.json."
  }
}

variable "bytes_billed_per_hour_max" {
  description = "An alert is sent if BigQuery bills more bytes than this in one hour, in the whole project."
  type        = number
  default     = 107374182400 # 100 GiB, about US$0.60 at US$6.25 per TiB.
  nullable    = false

  validation {
    condition     = var.bytes_billed_per_hour_max > 0
    error_message = "bytes_billed_per_hour_max must be more than 0."
  }
}

variable "deletion_protection" {
  description = "Protects the Firestore databases (results and API keys) and the log tables from deletion. Set it to false and apply before you destroy a test deployment."
  type        = bool
  default     = true
  nullable    = false
}

variable "deployment" {
  description = "Name of this deployment, such as `staging`, if the project has another one: part of the name of everything that must be unique in a project (infra/README.md, \"Another deployment in the project\"). Each deployment has a state of its own."
  type        = string
  default     = null

  validation {
    # No hyphens: with them, the keys of two deployments could have secrets of the same name.
    condition     = var.deployment == null ? true : can(regex("^[a-z][a-z0-9]{0,15}$", var.deployment)) && !contains(["default", "example", "public", "terraform"], var.deployment)
    error_message = "deployment must be 1 to 16 lower-case letters and digits, starting with a letter, and not default, example, public or terraform, which have another meaning."
  }
}

variable "grant_projects" {
  description = "Other projects in which Terraform lets the functions read the tables of sources named dataset.table. The account that applies must be an owner of these tables. For tables in projects that are not listed, the output read_grants has the commands that an owner runs."
  type        = list(string)
  default     = []
  nullable    = false

  validation {
    condition     = alltrue([for project in var.grant_projects : can(regex("^([a-z0-9.-]+:)?[a-z][a-z0-9-]{4,28}[a-z0-9]$", project))])
    error_message = "Each of grant_projects must be the id of a project."
  }
}

variable "keys_backup_days" {
  description = "Days for which a daily backup of the keys' database is kept, such as 14. With 0 there are no backups, only point-in-time recovery of the last seven days."
  type        = number
  default     = 0
  nullable    = false

  validation {
    condition     = var.keys_backup_days >= 0 && var.keys_backup_days <= 98 && floor(var.keys_backup_days) == var.keys_backup_days
    error_message = "keys_backup_days must be a whole number of at most 98 (14 weeks, Firestore's longest retention), or 0."
  }
}

variable "log_retention_days" {
  description = "Days after which partitions are deleted. This applies to tables that Terraform creates and whose table.json sets `expires`, such as the log tables. With null, no partition is deleted. BigQuery allows 10,000 partitions per table: by HOUR, as in the log tables, that is 416 days. Keep at least as many days as your queries read; the endpoints that come with the service read 8 days of the log tables."
  type        = number
  default     = 90

  validation {
    condition     = var.log_retention_days == null ? true : var.log_retention_days >= 8 && floor(var.log_retention_days) == var.log_retention_days
    error_message = "log_retention_days must be a whole number of at least 8, or null."
  }
  validation {
    condition     = alltrue([for type in values(local.expiring_partitions) : coalesce(var.log_retention_days, 0) <= lookup(local.partition_days_max, coalesce(type, "none"), 10000)])
    error_message = "BigQuery allows 10,000 partitions per table, so log_retention_days may be at most ${join(", ", [for source, type in local.expiring_partitions : "${lookup(local.partition_days_max, type, 10000)} for ${source} (by ${type})" if type != null])}. If a table has partitions of another type, state it in its table.json."
  }
}

variable "log_tables" {
  description = <<-EOT
    Existing tables, as source => "project.dataset.table", such as Logflare's tables. Each becomes a view in the dataset.
    This overrides `table` in table.json. The tables must have the columns of sql/sources. If Terraform has already
    created a table for the source, adding the source here deletes that table with its rows: `npm run deploy` refuses that
    without `--allow-loss`, and `terraform apply` as long as the table is protected.
  EOT
  type        = map(string)
  default     = {}
  nullable    = false

  validation {
    condition     = alltrue([for source in keys(var.log_tables) : contains(local.sources, source)])
    error_message = "log_tables names a source that cannot be a view. Sources that can: ${join(", ", local.sources)}."
  }
  validation {
    condition     = alltrue([for table in values(var.log_tables) : can(regex("^([a-z0-9.-]+:)?[a-z][a-z0-9-]{4,28}[a-z0-9]\\.[A-Za-z0-9_]+\\.[A-Za-z0-9_-]+$", table))])
    error_message = "Each of log_tables must be \"project.dataset.table\"."
  }
  validation {
    condition     = alltrue([for table in values(var.log_tables) : !startswith(table, "${var.project_id}.${local.names.bigquery_dataset}.")])
    error_message = "Tables in log_tables must not be in the dataset that contains the views."
  }
}

variable "names" {
  description = "Names that differ from their defaults: `bigquery_dataset`, `firestore_database` (results and leases), `keys_database` (API keys), `query_function` (part of the URL), `warm_function` and `scheduler_job`."
  type        = map(string)
  default     = {}
  nullable    = false

  validation {
    condition     = length(setsubtract(keys(var.names), keys(local.name_rules))) == 0
    error_message = "names has an unknown name. The known names are ${join(", ", keys(local.name_rules))}."
  }
  validation {
    condition = alltrue([for name, value in var.names : try(can(regex(local.name_rules[name].pattern, value)) && length(value) <= 1024
    && !can(regex("^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$", value)), true) if value != null])
    error_message = "In names, ${join("; ", [for name, rule in local.name_rules : "${name} ${rule.must}" if can(var.names[name])])}. Firestore refuses a name like a UUID."
  }
  validation {
    # Each must be another one within a group: of databases, because query may write to that of the results, and of services.
    condition = alltrue([for group in [["firestore_database", "keys_database"], ["query_function", "warm_function"]] : length(distinct([
      for name in group : coalesce(lookup(var.names, name, null), var.deployment == null ? local.defaults[name] : replace(local.defaults.named_deployment[name], "NAME", var.deployment))
    ])) == 2])
    error_message = "In names, keys_database must differ from firestore_database, which `query` may write, and warm_function from query_function."
  }
}

locals {
  name_rules = merge(
    { bigquery_dataset = { pattern = "^\\w+$", must = "may contain only letters, digits and underscores, and at most 1024" } },
    { for name in ["firestore_database", "keys_database"] : name => {
      pattern = "^(\\(default\\)|[a-z][a-z0-9-]{2,61}[a-z0-9])$"
      must    = "must be \"(default)\" or 4 to 63 lower-case letters, digits and hyphens, starting with a letter and not ending with a hyphen"
    } },
    { for name in ["query_function", "warm_function"] : name => {
      pattern = "^[a-z]([a-z0-9-]{0,47}[a-z0-9])?$"
      must    = "must be 1 to 49 lower-case letters, digits and hyphens, starting with a letter and not ending with a hyphen"
    } },
    { scheduler_job = { pattern = "^[A-Za-z0-9_-]{1,500}$", must = "may contain only letters, digits, hyphens and underscores" } },
  )
}

variable "notification_channels" {
  description = "Channels of Cloud Monitoring that get the alerts too, such as Slack or PagerDuty, as `gcloud beta monitoring channels list --format='value(name)'` prints them. They are in this project, and Terraform does not change them."
  type        = list(string)
  default     = []
  nullable    = false

  validation {
    condition     = alltrue([for channel in var.notification_channels : can(regex("^projects/[^/]+/notificationChannels/[0-9]+$", channel))]) && length(distinct(var.notification_channels)) == length(var.notification_channels)
    error_message = "Each of notification_channels must be projects/PROJECT/notificationChannels/NUMBER, and none may be there twice."
  }
}

variable "project_id" {
  description = "Google Cloud project to deploy to."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{4,28}[a-z0-9]$", var.project_id))
    error_message = "project_id must be the id of a project (6 to 30 lower-case letters, digits and hyphens), not its name or number."
  }
}

variable "public_access" {
  description = <<-EOT
    How callers reach `query`, which itself checks their keys. ALL_USERS: IAM lets everyone call the function. Where an
    organisation forbids that, NO_INVOKER_CHECK: a second service with the same code, named after the function with
    `-public`, without IAM's check and with an address of its own. BOTH: between the two, while callers change their address.
  EOT
  type        = string
  default     = "ALL_USERS"
  nullable    = false

  validation {
    condition     = contains(["ALL_USERS", "BOTH", "NO_INVOKER_CHECK"], var.public_access)
    error_message = "public_access must be ALL_USERS, BOTH or NO_INVOKER_CHECK. (For a load balancer: NO_INVOKER_CHECK, with query_ingress = \"ALLOW_INTERNAL_AND_GCLB\".)"
  }
  validation {
    condition     = var.public_access == "ALL_USERS" || length(local.names.query_function) <= 42 && local.names.warm_function != "${local.names.query_function}-public"
    error_message = "public_access ${var.public_access} adds the service ${local.names.query_function}-public: it may have at most 49 characters, and warm_function must be another name."
  }
}

variable "query_ingress" {
  description = <<-EOT
    Where `query` accepts requests from: ALLOW_ALL, ALLOW_INTERNAL_AND_GCLB (through a load balancer of your own, and from
    inside the project) or ALLOW_INTERNAL_ONLY. Behind a load balancer use ALLOW_INTERNAL_AND_GCLB and set
    FORWARDED_FOR_POSITION to 2 in `settings`.
  EOT
  type        = string
  default     = "ALLOW_ALL"
  nullable    = false

  validation {
    condition     = contains(["ALLOW_ALL", "ALLOW_INTERNAL_AND_GCLB", "ALLOW_INTERNAL_ONLY"], var.query_ingress)
    error_message = "query_ingress must be ALLOW_ALL, ALLOW_INTERNAL_AND_GCLB or ALLOW_INTERNAL_ONLY."
  }
}

variable "query_max_instances" {
  description = "Maximum number of instances of `query`. Each serves up to 40 requests at the same time."
  type        = number
  default     = 10
  nullable    = false

  validation {
    condition     = var.query_max_instances >= 1 && var.query_max_instances <= 100 && floor(var.query_max_instances) == var.query_max_instances
    error_message = "query_max_instances must be a whole number from 1 to 100."
  }
}

variable "query_min_instances" {
  description = "Minimum number of instances of `query`. With 1, no caller waits for a cold start, and one instance is billed continuously."
  type        = number
  default     = 0
  nullable    = false

  validation {
    condition     = var.query_min_instances >= 0 && var.query_min_instances <= var.query_max_instances && floor(var.query_min_instances) == var.query_min_instances
    error_message = "query_min_instances must be a whole number from 0 to query_max_instances."
  }
}

variable "region" {
  description = "Region of the functions, the scheduler job, the Firestore databases and the source bucket."
  type        = string
  default     = null # As in defaults.json.

  validation {
    condition     = var.region == null ? true : contains(local.defaults.regions, var.region)
    error_message = "region must be a region of Google Cloud such as europe-west1. If it is new, add it to regions in infra/defaults.json."
  }
}

variable "request_retention_days" {
  description = "Days after which the request lines of the service are deleted in BigQuery. A log sink writes them for a source that reads its table. With null, they are kept."
  type        = number
  default     = 90

  validation {
    condition     = var.request_retention_days == null ? true : var.request_retention_days >= 1 && var.request_retention_days <= 10000 && floor(var.request_retention_days) == var.request_retention_days
    error_message = "request_retention_days must be a whole number from 1 to 10000, or null: BigQuery allows 10,000 partitions per table."
  }
}

variable "secret_locations" {
  description = "Regions in which Secret Manager keeps the generated keys, such as [\"europe-west1\", \"europe-west4\"]; for an organisation that restricts locations. Without one, Google chooses. A change moves the keys to other secrets: the output api_key_secrets has their names."
  type        = list(string)
  default     = []
  nullable    = false

  validation {
    condition     = alltrue([for location in var.secret_locations : contains(local.defaults.regions, location)]) && length(distinct(var.secret_locations)) == length(var.secret_locations) && length(var.secret_locations) <= 6
    error_message = "secret_locations must be regions of Google Cloud such as europe-west1, each once, and at most 6 (they are part of the names of the secrets). If one is new, add it to regions in infra/defaults.json."
  }
}

variable "settings" {
  description = "Settings of the functions (docs/reference/settings.md) that differ from their defaults, by name."
  type        = map(string)
  default     = {}
  nullable    = false

  validation {
    condition     = alltrue([for name in keys(var.settings) : contains(keys(local.setting_defaults), name)])
    error_message = "settings has an unknown name. The known names are ${join(", ", keys(local.setting_defaults))}; other settings have a variable of their own."
  }
  validation {
    condition = alltrue([for name, value in var.settings : can(regex("^(0|[1-9][0-9]{0,15})$", value)) && try(
      tonumber(value) >= local.setting_ranges[name][0] && tonumber(value) <= local.setting_ranges[name][1], false,
    ) if contains(keys(local.setting_ranges), name)])
    error_message = "Numeric settings take a whole number within these bounds: ${join(", ", [for name, range in local.setting_ranges : "${name} ${format("%d to %d", range...)}"])}."
  }
  validation {
    condition = alltrue([for name, setting in local.known_settings : contains(setting.allowed, lookup(var.settings, name, setting.default))
    if can(setting.allowed)])
    error_message = join(" ", [for name, setting in local.known_settings : "${name} must be one of ${join(", ", setting.allowed)}."
    if can(setting.allowed) && !try(contains(setting.allowed, lookup(var.settings, name, setting.default)), false)])
  }
  validation {
    condition = alltrue([for name, setting in local.known_settings : can(regex(setting.pattern, var.settings[name]))
    if can(setting.pattern) && lookup(var.settings, name, "") != ""])
    error_message = join(" ", [for name, setting in local.known_settings : "${name} must ${setting.must}."
    if can(setting.pattern) && lookup(var.settings, name, "") != "" && !can(regex(setting.pattern, var.settings[name]))])
  }
  validation {
    condition     = lower(try(regex("/locations/([^/]+)/", var.settings.BIGQUERY_RESERVATION)[0], local.bigquery_location)) == lower(local.bigquery_location)
    error_message = "BIGQUERY_RESERVATION must be in bigquery_location, ${local.bigquery_location}: jobs can use no other reservation."
  }
  validation {
    condition = alltrue([for origin in split(",", lookup(var.settings, "CORS_ORIGINS", "*")) :
    can(regex("^\\s*(\\*|https?://[a-z0-9.-]+(:[1-9][0-9]{0,4})?)\\s*$", origin)) && try(tonumber(regex(":([0-9]+)", origin)[0]), 0) < 65536 && !can(regex("^\\s*(http://[^:]+:80|https://[^:]+:443)\\s*$", origin))])
    error_message = "CORS_ORIGINS must be * or origins such as https://example.com, separated by commas and without the default port."
  }
  validation {
    condition     = lookup(var.settings, "FORWARDED_FOR_POSITION", "1") == "1" || var.query_ingress == "ALLOW_INTERNAL_AND_GCLB"
    error_message = "FORWARDED_FOR_POSITION above 1 needs query_ingress = \"ALLOW_INTERNAL_AND_GCLB\": a caller who reaches `query` without the load balancer could claim any address."
  }
}

variable "sql_directory" {
  description = "The directory of the saved queries from which the bundle was built, relative to the directory in which Terraform runs. `npm run deploy` sets it."
  type        = string
  default     = "../sql"
  nullable    = false

  validation {
    condition     = length(fileset(var.sql_directory, "endpoints/*/endpoint.json")) > 0
    error_message = "sql_directory has no endpoints/*/endpoint.json."
  }
}

variable "uptime_check" {
  description = "Whether Google calls `GET /health` each minute from several regions, with an alert if it fails: `true` for the address of `query`, or a host, such as that of your load balancer."
  type        = string
  default     = "false"
  nullable    = false

  validation {
    condition     = can(regex("^(true|false|[a-z0-9]([a-z0-9-]*[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+)$", var.uptime_check))
    error_message = "uptime_check must be true, false, or the name of a host, such as api.example.com, without https:// and path."
  }
  validation {
    condition     = var.uptime_check != "true" || var.query_ingress == "ALLOW_ALL"
    error_message = "With query_ingress ${var.query_ingress}, uptime_check must be the host of your load balancer: Google's check comes from outside."
  }
}

