# shellcheck shell=bash disable=SC2154 # image_dir and root_dir are set by build.sh
# The build contexts: a folder for each image with exactly the files that its Containerfile copies.
# Files keep one date, so that a layer changes only when what it holds does.

context_begin() {
  rm -rf "$1"
  mkdir -p "$1"
}

context_end() {
  find "$1" -exec touch --no-dereference --date=@0 {} +
  chmod -R u=rwX,go=rX "$1"
}

context_browser() {
  local context=$1
  context_begin "$context"
  cp "$image_dir/Containerfile" "$context/Containerfile"
  cp "$image_dir/build/absent.control" "$image_dir/build/dpkg-excludes" "$image_dir/build/fonts.conf" "$context/"
  mkdir "$context/policy"
  cp "$image_dir/policy/podwright.json" "$context/policy/"
  (cd "$image_dir/launcher" && CGO_ENABLED=0 GOFLAGS=-buildvcs=false \
    go build -trimpath -ldflags '-s -w -buildid=' -o "$context/podwright-launcher" .)
  context_end "$context"
}

context_services() {
  local context=$1
  context_begin "$context"
  cp "$image_dir/services.Containerfile" "$context/Containerfile"
  cp "$(readlink -f "$PODWRIGHT_CACHE/bin/node")" "$context/node"
  mkdir -p "$context/node_modules/@novnc" "$context/app"
  cp -r "$root_dir/node_modules/playwright-core" "$context/node_modules/"
  cp -r "$root_dir/node_modules/@novnc/novnc" "$context/node_modules/@novnc/"
  # Only for people at a desk: the trace viewer, the recorder, declarations, source maps.
  (cd "$context/node_modules/playwright-core" && rm -rf lib/vite types bin)
  find "$context/node_modules" \( -name '*.map' -o -name '*.d.ts' \) -delete
  (cd "$root_dir" && npm run --silent build)
  cp "$root_dir"/dist/*.mjs "$context/app/"
  context_end "$context"
}

context_redis() {
  context_begin "$1"
  cp "$image_dir/redis.Containerfile" "$1/Containerfile"
  context_end "$1"
}
