# shellcheck shell=bash
# Puts image archives (of `docker save`, `podman save`, `buildah push docker-archive:`) into
# the nodes that do not hold that very image under that very name yet.

cluster_load() {
  local archive lacking
  (($#)) || usage
  cluster_must_exist
  declare -gA held=() # node → lines of `sha256:ID NAME`
  local node
  for node in $(cluster_running); do
    held[$node]=$("$PODWRIGHT_ENGINE" exec "$node" crictl images --output json |
      jq -r '.images[] | .id as $id | .repoTags[] | "\($id) \(.)"')
  done

  parts_begin "images" $#
  for archive in "$@"; do
    [[ -r $archive ]] || { echo "no such image archive: $archive" >&2; return 1; }
    lacking=$(nodes_lacking "$archive")
    if [[ -z $lacking ]]; then
      skip
    else
      part "$(basename "$archive")" kind load image-archive "$archive" --name "$CLUSTER" --nodes "$lacking"
    fi
  done
}

# The nodes, separated by commas, in which one of the archive's names is missing or means
# another image.
nodes_lacking() {
  local archive=$1 node id names name lacking=()
  read -r id names < <(tar -xOf "$archive" manifest.json | jq -r \
    '.[0] | [(.Config | capture("(?<id>[0-9a-f]{64})").id), .RepoTags[]] | join(" ")')
  for node in "${!held[@]}"; do
    for name in $names; do
      # containerd completes short names as Docker does, so only the end has to match.
      grep -qE "^sha256:$id (.*/)?${name//./\\.}$" <<<"${held[$node]}" || { lacking+=("$node"); break; }
    done
  done
  (IFS=,; echo "${lacking[*]}")
}
