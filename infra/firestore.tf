# The Firestore database: `results` (the cache), `leases` (single flight) and `apiKeys` (keys.tf).

resource "google_firestore_database" "store" {
  name                    = local.firestore_database
  location_id             = local.region
  type                    = "FIRESTORE_NATIVE"
  database_edition        = "STANDARD"
  concurrency_mode        = "OPTIMISTIC" # Server clients would otherwise lock what they read.
  delete_protection_state = var.deletion_protection ? "DELETE_PROTECTION_ENABLED" : "DELETE_PROTECTION_DISABLED"
  deletion_policy         = "DELETE" # Refused while protected. The default would forget the database and leave it behind.
  # No point-in-time recovery: it would bill seven days of bodies rewritten every 300 s. Keys are in api_keys or remade.

  depends_on = [google_project_service.enabled]
}

# Expired documents are deleted within about a day. The service checks expiry on each read: this only cleans up.
# `apiKeys` has no such field: a key is removed on purpose.
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
