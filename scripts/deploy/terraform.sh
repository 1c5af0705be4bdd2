# The deployment of infra/ by Terraform; the options of this run, for plan and apply, are "$@".

query_exists() {
  exists run ${DEPLOYMENT:+env "TF_WORKSPACE=$DEPLOYMENT"} \
    terraform -chdir=infra state show google_cloudfunctions2_function.query
}

say 'Install the providers: the versions in your infra/.terraform.lock.hcl, or else the newest that infra/versions.tf allows.'
run terraform -chdir=infra init

if [ -n "$PLANS_ONLY" ]; then
  say 'Show the changes, and refuse those that would lose something.'
  run exec npm run --silent deploy:apply -- --plan "$@"
fi

say 'Show the changes, refuse those that would lose something, and ask.'
run npm run --silent deploy:apply -- --ask "$@"

if query_exists; then
  say 'Apply warm, with the tables and rights that its queries need.'
  UNDO="$ROLL_BACK"
  run npm run --silent deploy:apply -- -auto-approve "$@" -target=google_cloudfunctions2_function.warm

  say 'Compute what callers read with the new definitions, before query gets them.'
  run npm run warm -- run --wait --bundle=dist --terraform=infra ${DEPLOYMENT:+"--deployment=$DEPLOYMENT"}
fi

say 'Apply the rest.'
run npm run --silent deploy:apply -- -auto-approve "$@"
