# shellcheck shell=bash
# Container images without a builder: a layer is a tar of a folder, an image an archive of
# layers with two small JSON files, in the format of `docker save`.

# image_layer FOLDER FILE.tar
image_layer() {
  tar -C "$1" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -cf "$2" .
}

# image_archive FILE.tar NAME CONFIG LAYER.tar ...
# CONFIG is a JSON object of what the image says about running it, PATH aside.
image_archive() {
  local file=$1 name=$2 config=$3 layer sum work
  shift 3
  local sums=()
  work=$(mktemp -d "$file.XXXX")
  for layer in "$@"; do
    sum=$(sha256sum <"$layer" | cut -d' ' -f1)
    ln "$layer" "$work/$sum.tar"
    sums+=("$sum")
  done
  jq -n --arg arch "$(dpkg --print-architecture)" --argjson config "$config" '{
    architecture: $arch, os: "linux",
    config: ($config | .Env += ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"]),
    rootfs: {type: "layers", diff_ids: ($ARGS.positional | map("sha256:" + .))}
  }' --args "${sums[@]}" >"$work/config.json"
  jq -n --arg name "$name" '[{Config: "config.json", RepoTags: [$name], Layers: ($ARGS.positional | map(. + ".tar"))}]' \
    --args "${sums[@]}" >"$work/manifest.json"
  tar -C "$work" -cf "$file" .
  rm -rf "$work"
}
