# Terraform and provider versions, and the provider.
#
# By default the state is a local file. It contains every generated API key (see keys.tf). If more than one person deploys,
# keep it in a private, versioned bucket of another project (builds may read every bucket of this one): add a file
# `backend.tf` with
#   terraform {
#     backend "gcs" {
#       bucket = "<bucket>"
#       prefix = "saved-query-endpoints"
#     }
#   }
terraform {
  required_version = ">= 1.11.0" # The first version with write-only arguments (keys.tf).

  required_providers {
    google = {
      source  = "hashicorp/google"
      version = ">= 7.45.0, < 9.0.0" # Checked with 7.45 and 8.0. Before 7.45.0 an update of a dataset dropped grants made by other resources.
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
  default_labels = merge({ service = "saved-query-endpoints" }, var.deployment == null ? {} : { deployment = var.deployment })
}
