# shellcheck shell=bash
# The node image that the pinned kind takes by default, under the name its own source gives.

public_image_name() {
  local source domain=''
  source=$(cd "$kind_dir/toolchain/kind" && go mod download sigs.k8s.io/kind && go list -m -f '{{.Dir}}' sigs.k8s.io/kind)
  # Podman does not complete short names, so kind's code for Podman does.
  if [[ $PODWRIGHT_ENGINE == podman ]]; then
    domain=$(sed -n 's/^\s*defaultDomain\s*= "\(.*\)"$/\1/p' "$source/pkg/cluster/internal/providers/podman/images.go")
  fi
  sed -n "s|^const Image = \"\(.*\)\"$|$domain\1|p" "$source/pkg/apis/config/defaults/image.go"
}

pull_public_image() {
  local image
  image=$(public_image_name)
  "$PODWRIGHT_ENGINE" image inspect "$image" >/dev/null 2>&1 && return
  timeout 600 "$PODWRIGHT_ENGINE" pull --quiet "$image" >/dev/null 2>&1
}
