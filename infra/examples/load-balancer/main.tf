# A domain of your own: an HTTPS load balancer before `query`, with a certificate that Google renews, and a limit by address.
#
# A configuration with a state of its own, beside that of the service:
#   terraform -chdir=infra/examples/load-balancer init
#   terraform -chdir=infra/examples/load-balancer apply -var project_id=my-project -var host=api.example.com
# Point the host's A record to the output `address`. The certificate is issued within about an hour after that. Then close the
# function's own address with query_ingress = "ALLOW_INTERNAL_AND_GCLB" and FORWARDED_FOR_POSITION = "2" (docs/recipes.md).

terraform {
  required_version = ">= 1.11.0"

  required_providers {
    google = {
      source  = "hashicorp/google"
      version = ">= 7.45.0, < 9.0.0"
    }
  }
}

provider "google" {
  project        = var.project_id
  region         = var.region
  default_labels = { service = "saved-query-endpoints" }
}

variable "project_id" {
  description = "The project of the deployment."
  type        = string
}

variable "region" {
  description = "The region of the deployment."
  type        = string
  default     = "europe-west1"
}

variable "query_function" {
  description = "The name of the function `query`, or `query-public` with another `public_access` than ALL_USERS."
  type        = string
  default     = "query"
}

variable "host" {
  description = "The host under which callers reach the service, such as api.example.com."
  type        = string
}

variable "requests_per_minute" {
  description = "Requests that one address may send in a minute; more get 429 without reaching the service. With 0 there is no such limit."
  type        = number
  default     = 600
}

resource "google_project_service" "compute" {
  service            = "compute.googleapis.com"
  disable_on_destroy = false # Other software in the project may use it.
}

resource "google_compute_global_address" "entry" {
  name       = "saved-queries"
  depends_on = [google_project_service.compute]
}

resource "google_compute_region_network_endpoint_group" "query" {
  name                  = "saved-queries"
  region                = var.region
  network_endpoint_type = "SERVERLESS"

  cloud_run {
    service = var.query_function # Of a function, the Cloud Run service has the same name.
  }

  depends_on = [google_project_service.compute]
}

resource "google_compute_security_policy" "addresses" {
  count = var.requests_per_minute > 0 ? 1 : 0
  name  = "saved-queries"

  rule {
    description = "A limit for each address."
    action      = "throttle"
    priority    = 1000

    match {
      versioned_expr = "SRC_IPS_V1"
      config {
        src_ip_ranges = ["*"]
      }
    }

    rate_limit_options {
      conform_action = "allow"
      exceed_action  = "deny(429)"
      enforce_on_key = "IP"
      rate_limit_threshold {
        count        = var.requests_per_minute
        interval_sec = 60
      }
    }
  }

  rule {
    description = "All other requests; each policy needs this rule."
    action      = "allow"
    priority    = 2147483647

    match {
      versioned_expr = "SRC_IPS_V1"
      config {
        src_ip_ranges = ["*"]
      }
    }
  }

  depends_on = [google_project_service.compute]
}

resource "google_compute_backend_service" "query" {
  name                  = "saved-queries"
  load_balancing_scheme = "EXTERNAL_MANAGED"
  enable_cdn            = false # Answers depend on the API key.
  security_policy       = one(google_compute_security_policy.addresses[*].id)

  backend {
    group = google_compute_region_network_endpoint_group.query.id
  }
}

resource "google_compute_managed_ssl_certificate" "host" {
  name = "saved-queries-${substr(sha256(var.host), 0, 8)}" # Another host needs another certificate, which is made first.

  managed {
    domains = [var.host]
  }

  depends_on = [google_project_service.compute]

  lifecycle {
    create_before_destroy = true
  }
}

resource "google_compute_url_map" "https" {
  name            = "saved-queries"
  default_service = google_compute_backend_service.query.id
}

resource "google_compute_target_https_proxy" "https" {
  name             = "saved-queries"
  url_map          = google_compute_url_map.https.id
  ssl_certificates = [google_compute_managed_ssl_certificate.host.id]
}

# Only HTTPS: a key that is sent without encryption is known to others before any redirect.
resource "google_compute_global_forwarding_rule" "https" {
  name                  = "saved-queries"
  load_balancing_scheme = "EXTERNAL_MANAGED"
  ip_address            = google_compute_global_address.entry.id
  port_range            = "443"
  target                = google_compute_target_https_proxy.https.id
}

output "address" {
  description = "The IPv4 address for the host's A record."
  value       = google_compute_global_address.entry.address
}
