# The Firestore databases: one with `results` (the cache) and `leases` (single flight), one with `apiKeys` (keys.tf).

resource "google_firestore_database" "store" {
  name                    = local.firestore_database
  location_id             = local.region
  type                    = "FIRESTORE_NATIVE"
  database_edition        = "STANDARD"
  concurrency_mode        = "OPTIMISTIC" # Server clients would otherwise lock what they read.
  delete_protection_state = var.deletion_protection ? "DELETE_PROTECTION_ENABLED" : "DELETE_PROTECTION_DISABLED"
  deletion_policy         = "DELETE" # Refused while protected. The default would forget the database and leave it behind.
  # No point-in-time recovery: it would bill seven days of bodies rewritten every 300 s. Rows are computed again.

  depends_on = [google_project_service.enabled]
}

# API keys alone, because Firestore has no grant per collection: `query`, which anyone may reach, writes results and only
# reads here (iam.tf). None where keys share the database of the results. No TTL: a key is removed on purpose.
resource "google_firestore_database" "keys" {
  for_each = setsubtract(local.keys_databases, [local.firestore_database])

  name                    = each.value
  location_id             = local.region # As near to query as the results.
  type                    = "FIRESTORE_NATIVE"
  database_edition        = "STANDARD"
  concurrency_mode        = "OPTIMISTIC" # As above.
  delete_protection_state = var.deletion_protection ? "DELETE_PROTECTION_ENABLED" : "DELETE_PROTECTION_DISABLED"
  deletion_policy         = "DELETE" # As above.

  depends_on = [google_project_service.enabled]
}

# A warning, not an error: a deployment from before there was a database of keys works as it is.
check "keys_apart" {
  assert {
    condition     = local.keys_database != local.firestore_database
    error_message = "query may write the API keys, because they share the database ${local.firestore_database} with the results. README.md, \"Move the keys\", gives them a database of their own."
  }
}

# Expired documents are deleted within about a day. The service checks expiry on each read: this only cleans up.
resource "google_firestore_field" "delete_at" {
  for_each = toset(["results", "leases"])

  database   = google_firestore_database.store.name
  collection = each.value
  field      = "deleteAt"
  skip_wait  = true # Turning TTL on takes ten minutes and more, and nothing waits for it.

  ttl_config {}
  index_config {} # No index: nothing asks for it. TTL and indexes of a field are one resource.
}

# Firestore indexes every field unless told otherwise, which costs storage and write time, and limits what a field may hold.
resource "google_firestore_field" "unindexed" {
  for_each = toset(["body", "computedAt", "freshUntil", "parameters", "readers"])

  database   = google_firestore_database.store.name
  collection = "results"
  field      = each.value

  index_config {}
}

# The index that `warm` needs: where lastReadAt >= T, ordered by lastReadAt with the latest first, selecting the small fields, page by page from
# where the last page ended (lastReadAt and the document's name, which every index ends with). One field, so a single-field index serves it and a composite index would be paid for and never used.
resource "google_firestore_field" "last_read_at" {
  database   = google_firestore_database.store.name
  collection = "results"
  field      = "lastReadAt"

  index_config {
    indexes {
      order       = "DESCENDING"
      query_scope = "COLLECTION"
    }
  }
}
