# API keys: creates the `apiKeys` documents that the service looks up, from var.api_keys.
#
# The id of a document is the SHA-256 of its key. Terraform needs that hash, and so it needs the key that it generates: an
# ephemeral value cannot be part of a document id. This means:
# - A generated key is in the Terraform state (random_bytes) and in Secret Manager, and nowhere else. Protect the state as
#   you protect the keys (versions.tf). If the state leaks, replace every key in it.
# - To keep a key out of the state, create it elsewhere, with a checksum so that a mistyped key is refused without a look-up,
#   and set its `sha256`, the hash of the whole key (printf %s "$key" | sha256sum):
#     body="sqk_$(openssl rand -base64 32 | tr '+/' '-_' | tr -d '=')"
#     key="$body$(printf %s "$body" | sha256sum | head -c 6)"
# - A key with a `public_key` signs tokens and opens nothing itself. Make its pair where the tokens are signed:
#     openssl genpkey -algorithm ed25519 -out private.pem
#     openssl pkey -in private.pem -pubout
#   The first file stays there. The second command prints the public key. The output signing_key_ids has the `kid` of its tokens.
#
# Replace a key:  terraform -chdir=infra apply -replace='random_bytes.api_key["NAME"]'   (the old one ends within 60 s)
# With overlap:   add a second name, move the caller to its key, remove the first name. (Of one that signs, tokens end with it.)
# Rename a key:   if it is set by sha256 or public_key, change its name in api_keys and add this block for one apply. Without it,
#                 Terraform destroys and creates the same document, in any order.
#                   moved {
#                     from = google_firestore_document.api_key["OLD"]
#                     to   = google_firestore_document.api_key["NEW"]
#                   }
# Revoke a key:   remove its name. If a key of this file is revoked in another way, the next apply makes it valid again,
#                 because Terraform owns the whole document.
#
# The documents created here have no createdAt, which would differ in each plan. `npm run keys` recognises them by that.

locals {
  # With each attribute. (var.api_keys has no type, so that a misspelt one is refused.)
  api_keys = {
    for name, key in var.api_keys : name =>
    merge({ for attribute in keys(local.key_rules) : attribute => null }, key, { readers = try(coalesce(key.readers), []) })
  }

  generated_keys = { for name, key in local.api_keys : name => key if key.sha256 == null && key.public_key == null }

  # `x` of a JWK: the 32 bytes after the prefix that each Ed25519 key has (RFC 8410), in base64url.
  public_keys = {
    for name, key in local.api_keys :
    name => replace(replace(regex("MCowBQYDK2VwAyEA(.{43})=", replace(key.public_key, "/\\s/", ""))[0], "+", "-"), "/", "_") if key.public_key != null
  }
  # Their thumbprints (RFC 7638), as signingKeyId in functions/core/key-store.ts makes them.
  signing_key_ids = {
    for name, x in local.public_keys :
    name => replace(replace(trimsuffix(base64sha256(jsonencode({ crv = "Ed25519", kty = "OKP", x = x })), "="), "+", "-"), "/", "_")
  }

  # "sqk_" and 43 base64url characters: 256 bits.
  key_bodies = {
    for name in keys(local.generated_keys) :
    name => "sqk_${replace(replace(trimsuffix(random_bytes.api_key[name].base64, "="), "+", "-"), "/", "_")}"
  }
  # With its checksum, as functions/keys/access.ts reads it.
  key_values = { for name, body in local.key_bodies : name => "${body}${substr(sha256(body), 0, 6)}" }

  # The hash of 256 random bits reveals nothing, and a plan should show which document it means.
  key_sha256 = merge(
    { for name, key in local.api_keys : name => key.sha256 if key.sha256 != null },
    { for name in keys(local.generated_keys) : name => nonsensitive(sha256(local.key_values[name])) },
  )
}

resource "random_bytes" "api_key" {
  for_each = local.generated_keys

  length = 32
}

resource "google_secret_manager_secret" "api_key" {
  for_each = local.generated_keys

  # With the locations, because those of a secret cannot change: others need another secret, which must be there before this one goes.
  secret_id = join("-", concat(["${local.names.prefix}key", each.key], sort(var.secret_locations)))

  replication {
    dynamic "auto" {
      for_each = length(var.secret_locations) == 0 ? [true] : []

      content {}
    }

    dynamic "user_managed" {
      for_each = length(var.secret_locations) == 0 ? [] : [true]

      content {
        dynamic "replicas" {
          for_each = sort(var.secret_locations)

          content {
            location = replicas.value
          }
        }
      }
    }
  }

  depends_on = [terraform_data.services] # Not the tables, as below: `create_before_destroy` of the version would pass to them.
}

resource "google_secret_manager_secret_version" "api_key" {
  for_each = local.generated_keys

  secret         = google_secret_manager_secret.api_key[each.key].id
  secret_data_wo = local.key_values[each.key]
  # Terraform does not compare write-only values. This number, from the hash of the key, changes with the key.
  secret_data_wo_version = parseint(substr(local.key_sha256[each.key], 0, 7), 16) + 1

  lifecycle {
    create_before_destroy = true # Readers always find a version.
  }
}

# The fields that the service reads: name, endpoints, parameters, limits, publicKey, tokenSeconds and expiresAt. (createdAt and revokedAt are optional.)
resource "google_firestore_document" "api_key" {
  for_each = local.api_keys

  database    = google_firestore_database.keys.name
  collection  = "apiKeys"
  document_id = merge(local.key_sha256, local.signing_key_ids)[each.key]

  fields = jsonencode({
    for field, value in {
      name      = { stringValue = each.key }
      endpoints = { arrayValue = { values = [for endpoint in each.value.endpoints : { stringValue = endpoint }] } }
      parameters = each.value.parameters == null ? null : {
        mapValue = {
          fields = {
            for parameter, allowed in each.value.parameters :
            parameter => { arrayValue = { values = [for literal in allowed : { stringValue = tostring(literal) }] } }
          }
        }
      }
      requestsPerMinute = each.value.requests_per_minute == null ? null : { integerValue = tostring(each.value.requests_per_minute) }
      missesPerMinute   = each.value.misses_per_minute == null ? null : { integerValue = tostring(each.value.misses_per_minute) }
      bytesPerDay       = each.value.bytes_per_day == null ? null : { integerValue = format("%d", each.value.bytes_per_day) }
      publicKey         = each.value.public_key == null ? null : { stringValue = local.public_keys[each.key] }
      tokenSeconds      = each.value.token_seconds_max == null ? null : { integerValue = tostring(each.value.token_seconds_max) }

      expiresAt = each.value.expires_at == null ? null : { timestampValue = each.value.expires_at }
    } : field => value if value != null
  })

  depends_on = [google_bigquery_table.log] # As in functions.tf.

  lifecycle {
    replace_triggered_by = [google_firestore_database.keys.uid] # A new database has no documents.
  }
}

# Warnings and not errors: the endpoint of a key may be added later, and a key that has expired must not stop a deployment.
check "api_key_endpoints" {
  assert {
    condition     = length(local.unknown_endpoints) == 0
    error_message = "Not in sql/endpoints, or a group without endpoints there: ${join(", ", local.unknown_endpoints)}. Known: ${join(", ", local.endpoints)}."
  }
}

locals {
  # What in `endpoints` of a key opens each endpoint, as isListed in functions/keys/access.ts says.
  openers = {
    for endpoint in local.endpoints : endpoint =>
    concat([endpoint], try(local.endpoint_definitions[endpoint].mustBeNamed, false) ? [] : ["${split(".", endpoint)[0]}.*", "*"])
  }
  # Without endpoints (another sql_directory), nothing is known.
  unknown_endpoints = flatten([
    for name, key in local.api_keys : [
      for endpoint in key.endpoints : "${endpoint} of ${name}" if !contains(concat(["*"], flatten(values(local.openers))), endpoint)
    ] if length(local.endpoints) > 0
  ])
  endpoint_definitions = {
    for endpoint in local.endpoints :
    endpoint => try(jsondecode(file("${var.sql_directory}/endpoints/${endpoint}/endpoint.json")), {})
  }

  # Restrictions on parameters that an endpoint lacks, which deny the key that endpoint.
  closed_endpoints = flatten([
    for name, key in local.api_keys : [
      for endpoint, definition in local.endpoint_definitions : [
        for parameter in setsubtract(keys(coalesce(key.parameters, {})), try(keys(definition.parameters), [])) : "${name} (${endpoint} has no parameter ${parameter})"
      ] if length(setintersection(key.endpoints, local.openers[endpoint])) > 0
    ]
  ])

  starred_values = flatten([
    for name, key in local.api_keys : [
      for parameter, allowed in coalesce(key.parameters, {}) : [for value in allowed : "\"${value}\" (${parameter}, for ${name})" if strcontains(value, "*")]
    ]
  ])
}

check "api_key_parameters" {
  assert {
    condition     = length(local.starred_values) == 0
    error_message = "Values in api_keys are compared as they are, and * stands for no other value: ${join(", ", local.starred_values)}."
  }
  assert {
    condition     = length(local.closed_endpoints) == 0
    error_message = "A key in api_keys cannot call an endpoint that lacks a parameter on which the key is restricted: ${join(", ", local.closed_endpoints)}."
  }
}

check "api_key_expiry" {
  assert {
    condition     = alltrue([for key in values(local.api_keys) : key.expires_at == null ? true : timecmp(key.expires_at, plantimestamp()) > 0])
    error_message = "Keys in api_keys that have expired and are refused: ${join(", ", [for name, key in local.api_keys : name if key.expires_at == null ? false : timecmp(key.expires_at, plantimestamp()) <= 0])}."
  }
}
