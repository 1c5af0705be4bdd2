#!/usr/bin/env bash
# `npm run infra:test`: Terraform's checks of infra/, as far as its tools are available. Nothing is deployed, and no credentials are needed.
set -euo pipefail
cd "$(dirname "$0")/../.."
export PROPAGATION_SECONDS=0

if ! command -v terraform > /dev/null; then
  echo 'terraform is not installed: infra/ was not checked.'
  exit
fi
terraform fmt -check -recursive -diff infra
if ! terraform -chdir=infra init -backend=false -input=false > /dev/null 2>&1; then
  echo 'The provider is not available: only the formatting of infra/ was checked.'
  exit
fi
[[ -f dist/function.zip ]] || node scripts/bundle.ts > /dev/null
terraform -chdir=infra validate
terraform -chdir=infra test
terraform -chdir=infra/examples/load-balancer init -backend=false -input=false
terraform -chdir=infra/examples/load-balancer validate
