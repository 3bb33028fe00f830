# shellcheck shell=bash
# hold_lock FILE: one run at a time; the next waits here. The lock lives as long as this
# script and what it started do, on file descriptor 9. A command that leaves a process
# behind (a container's monitor, say) is started with `9>&-`, or the lock would never end.
hold_lock() {
  mkdir -p "$(dirname "$1")"
  exec 9>"$1"
  if ! flock --nonblock 9; then
    echo "Waiting for another run to finish ($(basename "$1" .lock)) …" >&2
    flock 9
  fi
}
