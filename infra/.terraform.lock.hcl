# This file is maintained automatically by "terraform init".
# Manual edits may be lost in future updates.

provider "registry.terraform.io/hashicorp/google" {
  version     = "8.0.0"
  constraints = ">= 7.45.0, < 9.0.0"
  hashes = [
    "h1:BgIv8+ojEOc2QVr2SKTLjxpId+P9wOKhr9MCMk+BlM8=",
  ]
}

provider "registry.terraform.io/hashicorp/random" {
  version     = "3.9.0"
  constraints = ">= 3.6.0, < 4.0.0"
  hashes = [
    "h1:VFRU1K4wg4wAjev4UKdDYDbyNDUjV6v1CT1zP9q8XtU=",
  ]
}
