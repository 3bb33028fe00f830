# Podwright. `make help` lists what there is; each command says on its last line how it went.
CLUSTER ?= podwright
export CLUSTER

# Everything runs with the toolchain of kind/toolchain.sh, which it installs first where it is missing.
with := scripts/with-toolchain.sh

.DEFAULT_GOAL := help
.PHONY: help
help: ## This list
	@echo "make up [CLUSTER=name|current] [NODES=n]   see docs/operations/install.md"; echo
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | while IFS=$$(printf '\t') read -r name what; do printf '  %-15s %s\n' "$$name" "$$what"; done

.PHONY: up down env status
up: ## A cluster, the images, the chart and a sample task; prints URLs, a key and what to do next
	@scripts/up.sh
down: ## Removes the cluster; with CLUSTER=current what make up put into it
	@scripts/down.sh
env: ## Shell exports for the running installation: eval "$(make env)"
	@$(with) node scripts/installation/env.ts
status: ## What runs, and what is wrong
	@$(with) node scripts/installation/status.ts

.PHONY: images generate rotate-profile-key
rotate-profile-key: ## A new wrapping key for saved login states; RETIRE=1 drops the earlier ones
	@$(with) sh -c 'eval "$$(node scripts/installation/env.ts)" && exec node scripts/installation/rotate-profile-key.ts'
images: ## Builds the container images into the cache
	@$(with) browser-image/build.sh
generate: ## CRDs, reference pages and the chart's copies, from the declarations in api/
	@$(with) node scripts/generate.ts

.PHONY: test test-watch test-profiles test-crash test-isolation verify bench-session bench-memory bench-scale
test: ## Every test, on real parts
	@$(with) sh -c "scripts/test-packages.sh && exec node scripts/test.ts"
test-profiles: ## Saved login states: stores, keys, real pages, and every part of a running installation killed
	@$(with) sh -c 'scripts/test-packages.sh && npx vitest run keeper operator/src/profiles browser-image/supervisor/src/profile && \
	  eval "$$(node scripts/installation/env.ts)" && exec npx vitest run --config vitest.cluster.config.ts test/profiles'
test-watch: ## The watch under 59 kinds of trouble, beside client-node's informer (BASELINE=0: without)
	@$(with) node test/watch/main.ts
verify: ## Format, lint, types, boundaries, generated files, dead code, chart
	@$(with) node scripts/verify.ts
test-isolation: ## Pages, CDP clients, scripts, people and a taken-over browser against the walls of a running installation
	@$(with) sh -c 'eval "$$(node scripts/installation/env.ts)" && exec node test/isolation/run.ts'
test-crash: ## The operator killed at every write, then random schedules: SCHEDULES=n SEED=s MATRIX=off
	@$(with) node test/crash/crash.ts
bench-session: ## How long a browser takes, beside a bare pod of the same image
	@$(with) sh -c 'eval "$$(node scripts/installation/env.ts)" && exec node test/bench/session.ts'
bench-memory: ## Memory of an idle session by process, with six on the node
	@$(with) sh -c 'eval "$$(node scripts/installation/env.ts)" && exec node test/bench/memory.ts'
bench-scale: ## 1,050 warm pods and 75 claims a second, then 10,000 sessions, on simulated nodes
	@$(with) node test/bench/scale/scale.ts
