# Runs the engine ($1) on a port ($2) with at most so many KiB of memory ($3; macOS does not enforce it). Ends it once
# standard input closes, which the system does even if the process that started this shell is killed.
exec 3<&0
ulimit -d "$3" 2>/dev/null
"$1" 127.0.0.1 "$2" </dev/null >/dev/null 3<&- &
engine=$!
{ cat <&3 >/dev/null; kill -9 $engine 2>/dev/null; } >/dev/null &
exec 3<&-
wait $engine
