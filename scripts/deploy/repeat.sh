# Repeats a command while Google answers what passes by itself.
ANSWERS={answers}
LOG="$(mktemp)"
trap 'rm -f "$LOG"' EXIT
exec 4>&2
repeated() {
  local pause status
  for pause in {seconds} ''; do
    : >"$LOG"
    status=0
    { { "$@" 2>&1 >&3 3>&- | tee -a "$LOG" >&2; } 3>&1 | tee -a "$LOG"; } || status=$?
    [ "$status" != 0 ] && [ -n "$pause" ] && [[ "$(<"$LOG")" =~ $ANSWERS ]] || return "$status"
    echo "Google answered \"${BASH_REMATCH[0]}\": trying again in $pause s" >&4
    sleep "$pause"
  done
}
