# Terraform and provider versions, and the provider.
#
# The state contains every generated API key (keys.tf). README.md keeps it in a private bucket, by a file `backend.tf`.
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
    terraform = {
      source = "terraform.io/builtin/terraform" # Part of Terraform; for its function that reads variables.
    }
  }
}

provider "google" {
  project        = var.project_id
  region         = local.region
  default_labels = merge({ service = "saved-query-endpoints" }, var.deployment == null ? {} : { deployment = var.deployment })
}
