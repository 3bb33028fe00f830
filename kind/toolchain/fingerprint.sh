# shellcheck shell=bash
# A short hash that changes when one of its inputs does: files, folders (what they hold
# counts, not where they are) and strings given as `=text`.
fingerprint() {
  local input
  for input in "$@"; do
    if [[ $input == =* ]]; then
      echo "$input"
    elif [[ -d $input ]]; then
      (cd "$input" && find . -type f -print0 | sort -z | xargs -0 sha256sum)
    else
      sha256sum <"$input"
    fi
  done | sha256sum | cut -c1-16
}
