# The deployment of infra/ by gcloud and bq. Everything can be repeated: what exists is kept or updated. The names in capital
# letters are set above.

DOMAIN="$PROJECT.iam.gserviceaccount.com"
READER="serviceAccount:${PREFIX}query@$DOMAIN"
BUILDER="serviceAccount:${PREFIX}build@$DOMAIN"
SCHEDULER="${PREFIX}scheduler@$DOMAIN"

google() { repeated gcloud "$@" --project="$PROJECT"; }
bigquery() { repeated bq --headless --project_id="$PROJECT" "$@"; }

# An existing table gets its columns, clustering and filter; its partitions and their expiration stay. BigQuery refuses to
# change a table into a view, or back.
table() { # source, clustering or nothing, filter or nothing, options of a new table
  local place="$PROJECT:$DATASET.$1" schema="--schema=$SOURCES/$1/schema.json" clustering=$2 filter=$3
  say "Source $1: a table as defined in its table.json."
  shift 3
  if exists bigquery show "$place"; then
    bigquery update --table "$schema" "--clustering_fields=$clustering" ${filter:+"$filter"} "$place"
  else
    bigquery mk --table "$schema" "$@" ${clustering:+"--clustering_fields=$clustering"} ${filter:+"$filter"} "$place"
  fi
}

view() { # source, query
  local place="$PROJECT:$DATASET.$1" command=mk
  say "Source $1: a view of the existing table."
  if exists bigquery show "$place"; then command=update; fi
  bigquery "$command" --use_legacy_sql=false "--view=$2" "$place"
}

# A grant on a table does not use SQL, in which GRANT must state whether the table is a view. A grant includes metadata, from
# which warm learns whether the table has changed. What the deployment may not grant is printed, as the command of an owner.
let_read() { # us or owner, project, dataset, table or nothing for all of them
  local by=$1 project=$2 dataset=$3 table=$4 role=roles/bigquery.dataViewer
  say "Let query and warm read $project.$dataset${table:+.$table}. They may not write to BigQuery."
  if [ -n "$table" ]; then
    set -- add-iam-policy-binding "--member=$READER" "--role=$role" "$project:$dataset.$table"
  else
    local grant="GRANT \`$role\` ON SCHEMA \`$project.$dataset\` TO \"$READER\""
    set -- "--location=$DATASET_LOCATION" query --use_legacy_sql=false "$grant"
  fi
  if [ "$by" = us ]; then bigquery "$@"; else echo "An owner in $project runs: bq --project_id=$project $(quoted "$@")"; fi
}

grant() { # member, role, condition
  google projects add-iam-policy-binding "$PROJECT" "--member=$1" "--role=$2" "--condition=$3" --format=none
}

say 'Enable the Google APIs.'
google services enable "${SERVICES[@]}"

say 'Refuse a database that the service cannot use.'
DATABASES="\"projects/$PROJECT/databases/$DATABASE\" \"projects/$PROJECT/databases/$KEYS_DATABASE\""
refuse_any 'The service needs Firestore in Native mode, Standard edition: choose other databases (--database, --keys-database).' \
  google firestore databases list \
  "--filter=name=($DATABASES) AND (NOT type=FIRESTORE_NATIVE OR databaseEdition=ENTERPRISE)" '--format=value(name)'

# Resources that run as an account of this deployment were created by it, or by Terraform.
if [ -z "$REPLACES_OTHERS" ]; then
  OTHERS='Choose other names (--query-function, --warm-function, --scheduler-job), or --replace.'
  say 'Refuse to replace a function that this deployment did not create.'
  refuse_any "$OTHERS" google functions list --regions="$REGION" \
    "--filter=name ~ \"/($QUERY|$WARM)\$\" AND NOT serviceConfig.serviceAccountEmail ~ \"^$PREFIX\"" '--format=value(name)'

  say 'Refuse to replace a scheduler job that this deployment did not create.'
  refuse_any "$OTHERS" google scheduler jobs list --location="$REGION" \
    "--filter=name ~ \"/($JOB)\$\" AND NOT httpTarget.oidcToken.serviceAccountEmail ~ \"^$PREFIX\"" '--format=value(name)'

  if [ "$PUBLIC_SERVICE" != "$QUERY" ]; then
    say 'Refuse to replace a service that this deployment did not create.'
    refuse_any 'Choose another name (--query-function), or --replace.' google run services list --region="$REGION" \
      "--filter=metadata.name=$PUBLIC_SERVICE AND NOT spec.template.spec.serviceAccountName ~ \"^$PREFIX\"" \
      '--format=value(metadata.name)'
  fi
fi

for account in "${ACCOUNTS[@]}"; do
  name="$PREFIX${account%%=*}" purpose="${account#*=}"
  say "Create the account that $purpose."
  exists google iam service-accounts describe "$name@$DOMAIN" ||
    google iam service-accounts create "$name" "--display-name=Saved queries${DEPLOYMENT:+ ($DEPLOYMENT)}: $purpose"
done

say 'API keys, with deletion protection.'
exists google firestore databases describe --database="$KEYS_DATABASE" ||
  google firestore databases create --location="$REGION" --type=firestore-native --delete-protection --enable-pitr \
    --database="$KEYS_DATABASE"

say 'Results and leases, with deletion protection.'
exists google firestore databases describe --database="$DATABASE" ||
  google firestore databases create --location="$REGION" --type=firestore-native --delete-protection \
    --database="$DATABASE"

index() { # field, collection, options
  google firestore indexes fields update "$1" --collection-group="$2" "$3" --async --database="$DATABASE"
}
for collection in "${COLLECTIONS[@]}"; do
  say "Delete expired documents of $collection, within about a day."
  google firestore fields ttls update deleteAt --collection-group="$collection" --enable-ttl --async --database="$DATABASE"
  say 'No query uses this field, and an index would cost storage and time.'
  index deleteAt "$collection" --disable-indexes
done
for field in "${UNINDEXED_FIELDS[@]}"; do
  say "The same for $field."
  index "$field" results --disable-indexes
done
say 'The same for the bodies of large results.'
index body parts --disable-indexes
say 'warm lists the recently read results, the latest first.'
index lastReadAt results --index=order=descending

say 'The dataset that the saved queries read.'
exists bigquery show --dataset "$PROJECT:$DATASET" ||
  bigquery --location="$DATASET_LOCATION" mk --dataset "$PROJECT:$DATASET"

if [ -n "$READS_REQUESTS" ]; then
  say 'A dataset for the request lines of the service: their sink may write to all of it.'
  exists bigquery show --dataset "$PROJECT:$REQUESTS_DATASET" ||
    bigquery --location="$DATASET_LOCATION" mk --dataset --default_partition_expiration="$RETENTION_SECONDS" \
      "$PROJECT:$REQUESTS_DATASET"

  say 'Their table, so that a view can read it before the first line arrives.'
  exists bigquery show "$PROJECT:$REQUESTS_DATASET.$REQUESTS_TABLE" ||
    bigquery mk --table --schema=infra/requests.schema.json --time_partitioning_type=DAY \
      --time_partitioning_field=timestamp --time_partitioning_expiration="$RETENTION_SECONDS" --require_partition_filter \
      "$PROJECT:$REQUESTS_DATASET.$REQUESTS_TABLE"

  say 'The log sink that writes them.'
  command=create
  if exists google logging sinks describe "$REQUESTS_SINK"; then command=update; fi
  LINES="resource.type=\"cloud_run_revision\" AND resource.labels.service_name=\"$PUBLIC_SERVICE\" AND $REQUESTS_FILTER"
  google logging sinks "$command" "$REQUESTS_SINK" \
    "bigquery.googleapis.com/projects/$PROJECT/datasets/$REQUESTS_DATASET" "--log-filter=$LINES" --use-partitioned-tables

  say 'The sink may write to this dataset only.'
  WRITER="$(google logging sinks describe "$REQUESTS_SINK" '--format=value(writerIdentity)')"
  bigquery --location="$DATASET_LOCATION" query --use_legacy_sql=false \
    "GRANT \`roles/bigquery.dataEditor\` ON SCHEMA \`$PROJECT.$REQUESTS_DATASET\` TO \"$WRITER\""
fi

tables

say 'Builds store the image.'
grant "$BUILDER" roles/artifactregistry.writer None
say 'Builds write the build log.'
grant "$BUILDER" roles/logging.logWriter None
say 'Builds read the bundle.'
grant "$BUILDER" roles/storage.objectViewer None
say 'The functions start query jobs and cancel their own; this reads no data.'
grant "$READER" roles/bigquery.jobUser None
say 'The functions read and write results and leases, in this database.'
grant "$READER" roles/datastore.user \
  "expression=resource.name==\"projects/$PROJECT/databases/$DATABASE\",title=${PREFIX}database"
say 'query looks up API keys and may not write them.'
grant "$READER" roles/datastore.viewer \
  "expression=resource.name==\"projects/$PROJECT/databases/$KEYS_DATABASE\",title=${PREFIX}keys-database"

# First warm, which computes the results that callers read under the earlier definitions; query then starts with them.
deploy() { # name, entry point, options
  # Needed if the traffic was moved back to an earlier revision.
  local latest=--serve-all-traffic-latest-revision
  google functions deploy "$1" --gen2 --region="$REGION" "${@:3}" --source=dist --entry-point="$2" --trigger-http \
    --service-account="${PREFIX}query@$DOMAIN" \
    --build-service-account="projects/$PROJECT/serviceAccounts/${PREFIX}build@$DOMAIN" \
    --set-env-vars="$ENVIRONMENT" "$latest" --quiet
}
url_of() { google functions describe "$1" --region="$REGION" '--format=value(serviceConfig.uri)'; }

say 'The function warm.'
REVISION="$(google run services list --region="$REGION" --filter=metadata.name="$WARM" \
  '--format=value(status.traffic[0].revisionName)')"
BACK="--to-revisions=$REVISION=100 --project=$PROJECT"
[ -z "$REVISION" ] || UNDO="gcloud run services update-traffic $WARM --region=$REGION $BACK"
deploy "$WARM" warm "${WARM_OPTIONS[@]}" --no-allow-unauthenticated

say 'Only the scheduler may call warm.'
google run services add-iam-policy-binding "$WARM" --region="$REGION" --member="serviceAccount:$SCHEDULER" \
  --role=roles/run.invoker --format=none

say 'Call warm every 300 seconds, with an account of its own.'
WARM_URL="$(url_of "$WARM")"
command=create headers=--headers
if exists google scheduler jobs describe "$JOB" --location="$REGION"; then command=update headers=--update-headers; fi
google scheduler jobs "$command" http "$JOB" --location="$REGION" "${SCHEDULE[@]}" \
  "$headers=Content-Type=application/json" --uri="$WARM_URL" --oidc-token-audience="$WARM_URL" \
  --oidc-service-account-email="$SCHEDULER"

if exists google functions describe "$QUERY" --region="$REGION"; then
  say 'Compute what callers read with the new definitions, before query gets them.'
  run npm run warm -- run --wait --bundle=dist --project="$PROJECT" --location="$REGION" --job="$JOB" \
    --database="$DATABASE"
fi

if [ "$PUBLIC_SERVICE" = "$QUERY" ]; then
  say 'The function query, which anyone may reach: it checks the API key.'
  deploy "$QUERY" query "${QUERY_OPTIONS[@]}" --allow-unauthenticated
  QUERY_URL="$(url_of "$QUERY")"
else
  say 'The function query, which only those may call whom IAM lets in. Its image has its base image in it.'
  deploy "$QUERY" query "${QUERY_OPTIONS[@]}" --no-allow-unauthenticated --runtime-update-policy=on-deploy
  IMAGE="$(google run services describe "$QUERY" --region="$REGION" \
    '--format=value(spec.template.spec.containers[0].image)')"

  say "The same code as a service without IAM's check, which callers reach: it checks the API key."
  google run deploy "$PUBLIC_SERVICE" --image="$IMAGE" --no-invoker-iam-check --region="$REGION" "${PUBLIC_OPTIONS[@]}" \
    --service-account="${PREFIX}query@$DOMAIN" --set-env-vars="$ENVIRONMENT|FUNCTION_TARGET=query" --quiet
  QUERY_URL="$(google run services describe "$PUBLIC_SERVICE" --region="$REGION" '--format=value(status.url)')"
fi

say 'Deployed. Create a first key, and see what it may call:'
echo "npm run keys -- create first --endpoints \"*\" --project $PROJECT --database $KEYS_DATABASE"
echo "curl --header \"X-API-KEY: KEY\" $QUERY_URL/api/endpoints"
