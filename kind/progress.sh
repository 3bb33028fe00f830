# shellcheck shell=bash
# Progress of a long job, for people: one line when a part begins, one when it ends.
# A part's own output goes to a log, which is shown only if the part fails.
#
#   parts_begin "node image" 12      the job and how many parts it has
#   part "etcd" build_etcd etcd      runs `build_etcd etcd` as the next part
#   skip                             counts a part that was done before
#
# In a terminal the running part's line shows its elapsed time; elsewhere (CI, a pipe)
# it says every half minute that it is still at it.

parts_begin() {
  parts_job=$1
  parts_total=$2
  parts_done=0
  parts_log_dir="$PODWRIGHT_CACHE/log"
  mkdir -p "$parts_log_dir"
}

skip() {
  parts_done=$((parts_done + 1))
}

part() {
  local name=$1 started=$SECONDS log ticker status=0
  shift
  parts_done=$((parts_done + 1))
  log="$parts_log_dir/${parts_job// /-}.${name// /-}.log"
  parts_title="$parts_job: part $parts_done/$parts_total, $name"
  parts_ticker "$parts_title" "$started" 9>&- &
  ticker=$!
  # Not `|| status=$?`: bash switches `set -e` off for everything called from a condition.
  set +e
  ( set -euo pipefail; "$@" ) >"$log" 2>&1 </dev/null
  status=$?
  set -e
  kill "$ticker" 2>/dev/null || true
  wait "$ticker" 2>/dev/null || true
  if ((status != 0)); then
    printf '%s FAILED after %s; the end of %s:\n' "$parts_title" "$(elapsed $((SECONDS - started)))" "$log" >&2
    tail -n 25 "$log" | sed 's/^/    /' >&2
    exit "$status"
  fi
  [[ -t 2 ]] && printf '\r\033[K' >&2
  printf '%s: %s\n' "$parts_title" "$(elapsed $((SECONDS - started)))" >&2
}

parts_ticker() {
  local title=$1 started=$2 every=30 start='' end='\n' nap=
  # Waiting for a background sleep lets the kill above end both at once.
  trap 'kill "$nap" 2>/dev/null; exit 0' TERM
  if [[ -t 2 ]]; then every=1 start='\r\033[K' end=''; fi
  printf "$start%s …$end" "$title" >&2
  while true; do
    sleep "$every" & nap=$!
    wait "$nap"
    kill -0 $$ 2>/dev/null || exit 0 # the script it reports on was killed
    printf "$start%s … %s$end" "$title" "$(elapsed $((SECONDS - started)))" >&2
  done
}

elapsed() {
  if (($1 < 60)); then printf '%d s' "$1"; else printf '%d min %02d s' $(($1 / 60)) $(($1 % 60)); fi
}
