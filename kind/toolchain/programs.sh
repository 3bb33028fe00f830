# shellcheck shell=bash
# kind, helm and kubectl, built from the Go modules whose versions the go.mod files pin.
# A program is built again when its go.mod changes: the stamp holds the hash it came from.

# module_version FOLDER MODULE: the version that FOLDER/go.mod requires
module_version() {
  awk -v module="$2" '$1 == "require" && $2 == module { print $3 } $1 == module && $2 ~ /^v/ { print $2 }' "$1/go.mod" | head -n1
}

program_module() {
  case $1 in
  kubectl) echo "$kind_dir/node-image/kubernetes" ;;
  *) echo "$kind_dir/toolchain/$1" ;;
  esac
}

program_is_there() {
  [[ -x $PODWRIGHT_CACHE/bin/$1 ]] &&
    [[ $(cat "$PODWRIGHT_CACHE/stamps/$1" 2>/dev/null) == "$(fingerprint "$(program_module "$1")")" ]]
}

program_install() {
  local name=$1 folder output
  folder=$(program_module "$name")
  output="$PODWRIGHT_CACHE/bin/.$name.new"
  cd "$folder" || return
  export CGO_ENABLED=0
  case $name in
  kind) go_build "$output" -ldflags "-s -w" sigs.k8s.io/kind ;;
  helm)
    go_build "$output" -ldflags "-s -w -X helm.sh/helm/v3/internal/version.version=$(module_version . helm.sh/helm/v3)" \
      helm.sh/helm/v3/cmd/helm
    ;;
  kubectl) go_build "$output" -ldflags "$(kubernetes_ldflags)" k8s.io/kubernetes/cmd/kubectl ;;
  esac
  mv "$output" "$PODWRIGHT_CACHE/bin/$name"
  fingerprint "$folder" >"$PODWRIGHT_CACHE/stamps/$name"
}

# Kubernetes reports the version that its linker was told.
kubernetes_ldflags() {
  local version at=k8s.io/component-base/version
  version=$(module_version "$kind_dir/node-image/kubernetes" k8s.io/kubernetes)
  IFS=. read -r major minor _ <<<"${version#v}"
  printf '%s' "-s -w -X $at.gitVersion=$version -X $at.gitMajor=$major -X $at.gitMinor=$minor -X $at.gitTreeState=clean"
}
