#!/usr/bin/env bash
# Deploys. It stops at the first command that fails, and can be run again.
set -euo pipefail
UNDO=''
LOG="$(mktemp)"
trap 'rm -f "$LOG"' EXIT
trap 'exit 130' INT # After the command that runs.
trap 'exit 143' TERM

failed() {
  local status=$1
  shift
  if [ "$status" = 127 ] && ! command -v "$1" >/dev/null; then
    echo "Error: $1 is not installed." >&2
  else
    echo "Error: Command failed: $(quoted "$@")" >&2
  fi
  [ -z "$UNDO" ] || echo "To roll back: $UNDO" >&2
  exit 1
}

refuse_any() { # remedy, command that lists what would be replaced although others created it
  local found
  found="$("${@:2}")"
  [ -z "$found" ] || {
    echo "Error: Not created by this deployment: ${found//$'\n'/, }. $1" >&2
    exit 1
  }
}

say() { echo "# $1"; }

exists() { ("$@") >/dev/null 2>&1; }

quoted() { # words, as a shell reads them
  local word text='' quote="'\\''"
  for word; do
    if [[ "$word" =~ ^[A-Za-z0-9_@%+=:,./-]+$ ]]; then text+=" $word"; else text+=" '${word//\'/$quote}'"; fi
  done
  printf '%s\n' "${text# }"
}

run() {
  echo "\$ $(quoted "$@")" >&2
  "$@" || failed $? "$@"
}

# The same, repeated while Google answers what passes by itself, such as two changes of a policy at once. bq writes errors to standard output.
PASSES='ABORTED|RESOURCE_EXHAUSTED|Too Many Requests|([Ss]tatus|[Cc]ode|Error)[^0-9a-z]*429|[Rr]ate.?[Ll]imit|RATE_LIMIT|quota metric'
PASSES="$PASSES|concurrent policy changes|[Ee][Tt]ag[^.]* match|underlying data changed|cross-transaction contention|too much contention"
PASSES="$PASSES|already in progress|operations? in progress|[Ss]ervice account [^ ]+ (does not exist|was not found)"
PASSES="$PASSES|missing permission on the build service account|has not been used in project [^ ]+ before or it is disabled"
exec 4>&2
repeated() {
  local pause status
  echo "\$ $(quoted "$@")" >&2
  for pause in 5 10 20 40 60 60 ''; do
    : >"$LOG"
    status=0
    { { "$@" 2>&1 >&3 3>&- | tee -a "$LOG" >&2; } 3>&1 | tee -a "$LOG"; } || status=$?
    [ "$status" != 0 ] || return 0
    if [ -z "$pause" ] || ! [[ "$(<"$LOG")" =~ $PASSES ]]; then failed "$status" "$@"; fi
    echo "Google answered \"${BASH_REMATCH[0]}\": trying again in $pause s" >&4
    sleep "$pause"
  done
}
