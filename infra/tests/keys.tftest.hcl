# API keys, and that no output contains one.

mock_provider "google" {
  source = "./tests/mocks/google"
}

mock_provider "random" {
  source = "./tests/mocks/random"
}

override_resource {
  target = google_cloudfunctions2_function.query
  values = { service_config = { uri = "https://query-abc-ew.a.run.app" } }
}

variables {
  names               = { firestore_database = "saved-queries", keys_database = "saved-queries-keys" }
  deployment          = null
  deletion_protection = false # The end of the test destroys everything.
  project_id          = "test-project"
  sql_directory       = "../sql"
  log_tables          = {}
  api_keys = {
    dashboard = {
      endpoints = ["*"]
      readers   = ["serviceAccount:dashboard@test-project.iam.gserviceaccount.com", "group:team@example.com"]
    }
    partner = {
      endpoints  = concat(["*"], [for file in fileset("../sql/endpoints", "*/endpoint.json") : dirname(file) if !can(jsondecode(file("../sql/endpoints/${file}")).mustBeNamed)])
      parameters = { project = ["abcdefghijklmnopqrst", "bcdefghijklmnopqrstu"] }
      expires_at = "2999-01-31T00:00:00Z"

      requests_per_minute = 60
      misses_per_minute   = 1
      bytes_per_day       = 50000000000

      sha256 = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
    }
  }
}

run "a_key_is_generated_where_none_is_given" {
  assert {
    condition     = keys(random_bytes.api_key) == ["dashboard"] && random_bytes.api_key["dashboard"].length == 32
    error_message = "256 bits are drawn for a key without sha256, and for no other."
  }
  assert {
    condition     = nonsensitive(local.key_values["dashboard"]) == "sqk_4OHi4-Tl5ufo6err7O3u7_Dx8vP09fb3-Pn6-_z9_v862486c"
    error_message = "A generated key is sqk_, the bytes in base64url without padding, and the checksum of both."
  }
  assert {
    condition     = can(regex("^sqk_[A-Za-z0-9_-]{43}[0-9a-f]{6}$", nonsensitive(local.key_values["dashboard"])))
    error_message = "A generated key is sqk_, 43 base64url characters and six hexadecimal digits."
  }
  assert {
    condition     = google_firestore_document.api_key["dashboard"].document_id == "0b0870ddb30cefff5c1bdaac50f87362db163cdde4fb1fbe2951d1e99bb92751"
    error_message = "The document id is the SHA-256 of the whole key."
  }
}

run "a_generated_key_is_stored_for_its_readers" {
  assert {
    condition     = google_secret_manager_secret.api_key["dashboard"].secret_id == "saved-queries-key-dashboard" && keys(google_secret_manager_secret_version.api_key) == ["dashboard"]
    error_message = "A generated key goes to Secret Manager, a given hash does not."
  }
  assert {
    condition     = google_secret_manager_secret_version.api_key["dashboard"].secret_data == null && google_secret_manager_secret_version.api_key["dashboard"].secret_data_wo == null
    error_message = "The secret version keeps the key out of the state."
  }
  assert {
    # 0x0b0870d + 1, the first seven digits of the hash.
    condition     = tostring(google_secret_manager_secret_version.api_key["dashboard"].secret_data_wo_version) == "11568910"
    error_message = "A new key is a new version of the secret."
  }
  assert {
    condition = toset([for grant in values(google_secret_manager_secret_iam_member.api_key_reader) : "${grant.member} ${grant.role}"]) == toset([
      "serviceAccount:dashboard@test-project.iam.gserviceaccount.com roles/secretmanager.secretAccessor",
      "group:team@example.com roles/secretmanager.secretAccessor",
    ])
    error_message = "The readers named may read the secret, and nobody else."
  }
}

run "documents_have_the_fields_that_the_service_reads" {
  assert {
    condition = alltrue([for document in values(google_firestore_document.api_key) :
    document.database == "saved-queries-keys" && document.collection == "apiKeys"])
    error_message = "Keys are documents of apiKeys in the database of the keys."
  }
  assert {
    condition = jsondecode(google_firestore_document.api_key["dashboard"].fields) == {
      name      = { stringValue = "dashboard" }
      endpoints = { arrayValue = { values = [{ stringValue = "*" }] } }
    }
    error_message = "A key without limits has a name and endpoints."
  }
  assert {
    condition = (google_firestore_document.api_key["partner"].document_id == "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
      && jsondecode(google_firestore_document.api_key["partner"].fields) == {
        name      = { stringValue = "partner" }
        endpoints = { arrayValue = { values = [for endpoint in var.api_keys.partner.endpoints : { stringValue = endpoint }] } }
        parameters = { mapValue = { fields = {
          project = { arrayValue = { values = [{ stringValue = "abcdefghijklmnopqrst" }, { stringValue = "bcdefghijklmnopqrstu" }] } }
        } } }
        requestsPerMinute = { integerValue = "60" }
        missesPerMinute   = { integerValue = "1" }
        bytesPerDay       = { integerValue = "50000000000" }
        expiresAt         = { timestampValue = "2999-01-31T00:00:00Z" }
    })
    error_message = "A limited key has its endpoints, its allowed values, its limits and its end; a given hash is the document id."
  }
}

# The public key of RFC 8037, A.2, and its thumbprint of A.3.
run "a_key_that_signs_is_stored_by_the_thumbprint_of_its_public_key" {
  command = plan
  variables {
    api_keys = {
      shop = {
        public_key        = <<-EOT
          -----BEGIN PUBLIC KEY-----
          MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=
          -----END PUBLIC KEY-----
        EOT
        endpoints         = distinct([for file in fileset("../sql/endpoints", "*/endpoint.json") : "${split(".", file)[0]}.*" if !can(jsondecode(file("../sql/endpoints/${file}")).mustBeNamed)])
        token_seconds_max = 1800
      }
    }
  }
  assert {
    condition     = google_firestore_document.api_key["shop"].document_id == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k" && output.signing_key_ids == { shop = "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k" }
    error_message = "The document id is the thumbprint in base64url, which is the kid that the output tells."
  }
  assert {
    condition = jsondecode(google_firestore_document.api_key["shop"].fields) == {
      name         = { stringValue = "shop" }
      endpoints    = { arrayValue = { values = [for endpoint in var.api_keys.shop.endpoints : { stringValue = endpoint }] } }
      publicKey    = { stringValue = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" }
      tokenSeconds = { integerValue = "1800" }
    }
    error_message = "A key that signs has its public key as x of a JWK, and how long its tokens may be valid."
  }
  assert {
    condition     = length(random_bytes.api_key) == 0 && length(google_secret_manager_secret.api_key) == 0
    error_message = "No secret is generated for a key that signs."
  }
}

run "no_output_holds_a_key" {
  assert {
    condition = !strcontains(jsonencode([
      output.api_key_secrets, output.dataset, output.deployment, output.example, output.query_url,
      output.read_grants, output.runtime_service_accounts, output.scheduler_job, output.signing_key_ids, output.warm_url,
    ]), "4OHi4")
    error_message = "An output holds a key."
  }
  assert {
    # The list above is complete, and nothing was made printable that is not a hash.
    condition = (length(regexall("output \"", file("${path.module}/outputs.tf"))) == 10
    && [for call in flatten([for file in fileset(path.module, "*.tf") : regexall("[^#\\n]*nonsensitive\\([^\\n]*", file("${path.module}/${file}"))]) : strcontains(call, "nonsensitive(sha256(")] == [true])
    error_message = "Outputs were added, or a value other than a hash was made printable: look at no_output_holds_a_key again."
  }
  assert {
    condition     = output.api_key_secrets == { dashboard = "saved-queries-key-dashboard" }
    error_message = "The outputs name the secret."
  }
  assert {
    condition     = startswith(output.example, "curl --header \"X-API-KEY: $(gcloud secrets versions access latest --project=test-project --secret=saved-queries-key-dashboard)\" \"https://query-abc-ew.a.run.app/api/endpoints/query/")
    error_message = "The example reads the key from Secret Manager and calls query."
  }
  assert {
    condition     = contains(var.api_keys.partner.endpoints, regex("/query/([^?]+)\\?[^\"]*\"$", output.example)[0])
    error_message = "The example calls an endpoint of sql/endpoints."
  }
}

# These seven are warnings.
run "tells_of_an_endpoint_that_there_is_not" {
  command = plan
  variables {
    api_keys = { dashboard = { endpoints = ["*", "no.such-endpoint"] } }
  }
  assert {
    condition     = local.unknown_endpoints == ["no.such-endpoint of dashboard"]
    error_message = "The key and what it names are told, and nothing else."
  }
  expect_failures = [check.api_key_endpoints]
}

run "tells_of_a_group_that_there_is_not" {
  command = plan
  variables {
    api_keys = { dashboard = { endpoints = ["no-such-group.*"] } }
  }
  expect_failures = [check.api_key_endpoints]
}

run "tells_of_a_parameter_that_an_endpoint_of_a_group_lacks" {
  command = plan
  variables {
    api_keys = {
      for group in distinct([for file in fileset("../sql/endpoints", "*/endpoint.json") : split(".", file)[0] if !can(jsondecode(file("../sql/endpoints/${file}")).mustBeNamed)]) :
      group => { endpoints = ["${group}.*"], parameters = { no_such_parameter = ["a"] } }
    }
  }
  assert {
    condition     = length(local.closed_endpoints) == length([for endpoint in local.endpoints : endpoint if !can(local.endpoint_definitions[endpoint].mustBeNamed)])
    error_message = "Each endpoint that the restriction closes is named once, for the key of its group; one that must be named is none of them."
  }
  expect_failures = [check.api_key_parameters]
}

run "tells_of_a_parameter_that_an_endpoint_lacks" {
  command = plan
  variables {
    api_keys = { dashboard = { endpoints = ["*"], parameters = { no_such_parameter = ["a"] } } }
  }
  assert {
    condition     = length(local.closed_endpoints) == length([for endpoint in local.endpoints : endpoint if !can(local.endpoint_definitions[endpoint].mustBeNamed)])
    error_message = "Each endpoint that the restriction closes is named; one that * does not open is none of them."
  }
  expect_failures = [check.api_key_parameters]
}

run "tells_of_a_star_in_a_value" {
  command = plan
  variables {
    sql_directory = "tests/sql/day"
    api_keys      = { shop = { endpoints = ["visits.*"], parameters = { text = ["a*", "b"] } } }
  }
  assert {
    condition     = local.starred_values == ["\"a*\" (text, for shop)"]
    error_message = "A star is a possible value where the parameter allows it."
  }
  expect_failures = [check.api_key_parameters]
}

run "generated_keys_stay_where_google_puts_them" {
  command = plan
  assert {
    condition     = length(google_secret_manager_secret.api_key["dashboard"].replication[0].auto) == 1 && length(google_secret_manager_secret.api_key["dashboard"].replication[0].user_managed) == 0
    error_message = "Without secret_locations, Google chooses the locations."
  }
}

run "generated_keys_stay_in_the_given_locations" {
  command = plan
  variables {
    secret_locations = ["europe-west4", "europe-west1"]
  }
  assert {
    condition = (length(google_secret_manager_secret.api_key["dashboard"].replication[0].auto) == 0
    && join(" ", google_secret_manager_secret.api_key["dashboard"].replication[0].user_managed[0].replicas[*].location) == "europe-west1 europe-west4")
    error_message = "The secrets of generated keys are in these regions and in no other."
  }
  assert {
    condition     = output.api_key_secrets == { dashboard = "saved-queries-key-dashboard-europe-west1-europe-west4" }
    error_message = "Another location is another secret: the one before stays until it is there."
  }
}

run "tells_of_a_key_that_has_expired" {
  command = plan
  variables {
    api_keys = { dashboard = { endpoints = ["*"], expires_at = "2020-01-31T00:00:00Z" } }
  }
  expect_failures = [check.api_key_expiry]
}

run "a_removed_name_is_a_revoked_key" {
  variables {
    api_keys = {}
  }
  assert {
    condition     = length(google_firestore_document.api_key) == 0 && length(random_bytes.api_key) == 0 && length(google_secret_manager_secret_version.api_key) == 0
    error_message = "Without a name there is neither document nor secret."
  }
  assert {
    condition     = strcontains(output.example, "X-API-KEY: $KEY\"") && output.signing_key_ids == null
    error_message = "Without a generated key the example leaves the key to the caller."
  }
}
