# Runs the engine ($1) on a socket in a folder ($2) with at most so many KiB of memory ($3; macOS does not enforce it). Ends it
# once standard input closes, which the system does even if the process that started this shell is killed.
exec 3<&0
ulimit -d "$3" 2>/dev/null
# It joins its arguments, a host and a port, with a colon.
"$1" "unix:$2/engine" 1 </dev/null >/dev/null 3<&- &
engine=$!
{ cat <&3 >/dev/null; kill -9 $engine 2>/dev/null; } >/dev/null &
# Nobody may be left to read what this shell says of its end.
exec 3<&- 2>/dev/null
wait $engine
code=$?
rm -rf "$2"
exit $code
