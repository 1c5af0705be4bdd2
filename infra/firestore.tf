# The Firestore databases: one with `results` (the cache; a large result has `parts`), `leases` (single flight), `refreshes` and
# `runs` (`npm run warm`), and one with `apiKeys` (keys.tf).

resource "google_firestore_database" "store" {
  name                    = local.names.firestore_database
  location_id             = local.region
  type                    = "FIRESTORE_NATIVE"
  database_edition        = "STANDARD"
  concurrency_mode        = "OPTIMISTIC" # With PESSIMISTIC, reads in a transaction would lock documents.
  delete_protection_state = var.deletion_protection ? "DELETE_PROTECTION_ENABLED" : "DELETE_PROTECTION_DISABLED"
  deletion_policy         = "DELETE" # Refused while protected. The default would only remove the database from the state.
  # No point-in-time recovery: it would bill seven days of results that are rewritten every 300 s. Rows are computed again.

  depends_on = [terraform_data.services]

  lifecycle {
    ignore_changes = [point_in_time_recovery_enablement] # Switched on in the project, it stays on.
  }
}

# API keys alone, because Firestore has no grant per collection: `query`, which anyone may reach, writes results and only
# reads here (iam.tf). No TTL: a key is removed on purpose.
resource "google_firestore_database" "keys" {
  name                    = local.names.keys_database
  location_id             = local.region # As near to query as the results.
  type                    = "FIRESTORE_NATIVE"
  database_edition        = "STANDARD"
  concurrency_mode        = "OPTIMISTIC" # As above.
  delete_protection_state = var.deletion_protection ? "DELETE_PROTECTION_ENABLED" : "DELETE_PROTECTION_DISABLED"
  deletion_policy         = "DELETE" # As above.

  # The keys as they were at any minute of the last seven days (docs/restore.md). Of a few kilobytes, it costs nothing to speak of.
  point_in_time_recovery_enablement = "POINT_IN_TIME_RECOVERY_ENABLED"

  depends_on = [terraform_data.services]

  lifecycle {
    ignore_changes = [point_in_time_recovery_enablement] # On by default only: it may be switched in the project, and earlier deployments are as they were.
  }
}

# A copy of the keys for each day. Without it, only Terraform's variables and point-in-time recovery have them.
resource "google_firestore_backup_schedule" "keys" {
  count = var.keys_backup_days > 0 ? 1 : 0

  database  = google_firestore_database.keys.name
  retention = "${var.keys_backup_days * 24 * 60 * 60}s"

  daily_recurrence {}

  lifecycle {
    replace_triggered_by = [google_firestore_database.keys.uid]
  }
}

# Firestore deletes expired documents within about a day. This only frees storage: the service itself checks the expiry
# on each read. `parts` are those below any result.
resource "google_firestore_field" "delete_at" {
  for_each = toset(local.defaults.collections_with_ttl)

  database   = google_firestore_database.store.name
  collection = each.value
  field      = "deleteAt"
  skip_wait  = true # Enabling TTL takes ten minutes or more, and nothing depends on it.

  ttl_config {}
  index_config {} # No index: no query uses the field. TTL and indexes of a field are one resource.

  lifecycle {
    replace_triggered_by = [google_firestore_database.store.uid]
  }
}

# Fields without an index, of results and of the bodies of large ones. By default Firestore indexes every field, which costs storage
# and time and limits their size.
resource "google_firestore_field" "unindexed" {
  for_each = merge({ for field in local.defaults.unindexed_fields : field => "results" }, { "parts.body" = "parts" })

  database   = google_firestore_database.store.name
  collection = each.value
  field      = trimprefix(each.key, "parts.")

  index_config {}

  lifecycle {
    replace_triggered_by = [google_firestore_database.store.uid]
  }
}

moved {
  from = google_firestore_field.part_body
  to   = google_firestore_field.unindexed["parts.body"]
}

# The index for the listing of `warm`: results with lastReadAt >= T, the latest first, page by page. It uses one field, so a
# single-field index is enough. (Every index also ends with the name of the document, from which the next page continues.)
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

  lifecycle {
    replace_triggered_by = [google_firestore_database.store.uid]
  }
}
