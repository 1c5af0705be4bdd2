# Terraform and provider versions, and the provider.
#
# State is local unless you say otherwise, and it holds every generated API key (see keys.tf). Before more than one
# person deploys, keep it in a private, versioned bucket of another project (builds may read every bucket of this one): add
# a file `backend.tf` with
#   terraform {
#     backend "gcs" {
#       bucket = "<bucket>"
#       prefix = "saved-query-endpoints"
#     }
#   }
terraform {
  required_version = ">= 1.11.0" # Write-only arguments, used in keys.tf, begin here.

  required_providers {
    google = {
      source  = "hashicorp/google"
      version = ">= 7.45.0, < 9.0.0" # Checked with 7.45 and 8.0. 7.45.0 stopped a dataset update from dropping the grants made beside it.
    }
    random = {
      source  = "hashicorp/random"
      version = ">= 3.6.0, < 4.0.0"
    }
  }
}

provider "google" {
  project        = var.project_id
  region         = local.region
  default_labels = { service = "saved-query-endpoints" }
}
