#!/usr/bin/env bash
# Copyright The maintenance-apiserver Authors.
# SPDX-License-Identifier: Apache-2.0

# Runs tests, by the names of the functions below, and says at the end where the
# time went. make calls it.

set -o errexit
set -o nounset
set -o pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

export SERVER_BINARY=${SERVER_BINARY:-${PWD}/bin/race/maintenance-apiserver}

# Packages of pure functions, which share nothing between goroutines: the race detector would only make them slower.
readonly pure='/(apis/maintenance/(stored|text|validation)|drainer/plan|fleet/preview|cloudevents/(decision|replacement)|profiles/(machine|message|places|sapdata|sapimport|selection))$'

# Packages whose tests go through hours of simulated time. The detector of changes in caches compares all objects in
# each second of it, which takes minutes. The servers under test have it.
readonly simulated='/profiles/engine$'

# Tests that need no cluster.
unit() {
  local packages simulating
  packages=$(go list ./cmd/... ./pkg/... ./hack/...)
  grep -E "${pure}" <<<"${packages}" | xargs go test -timeout 15m
  grep -E "${simulated}" <<<"${packages}" | xargs go test -race -timeout 15m &
  simulating=$!
  grep -vE "${pure}|${simulated}" <<<"${packages}" | KUBE_CACHE_MUTATION_DETECTOR=true xargs go test -race -timeout 15m
  wait "${simulating}"
}

# What a change is tried with while it is made: without the race detector, and one drain on a real control plane.
quick() {
  make --no-print-directory cluster-binaries build
  go test -timeout 10m ./cmd/... ./pkg/... ./hack/...
  use_memory
  SERVER_BINARY=${PWD}/bin/maintenance-apiserver go test -count=1 -timeout 5m ./test/smoke
}

# The drain engine in random clusters, thousands of times. The race detector, ten
# times slower, sees fewer of them in unit.
model() {
  go test -timeout 10m -run 'TestModel$' ./pkg/drainer
}

# The control plane's programs, and the server under test: with the race detector, and
# without it for what measures.
programs() {
  make --no-print-directory cluster-binaries race-server build
}

# The image, of the server for the platform of this machine. To build the server for another
# takes minutes at first.
image() {
  go test -C hack/tools/image -race -count=1 -timeout 10m ./...
}

# The image for each platform.
images() {
  go test -C hack/tools/image -race -count=1 -timeout 30m ./... -image.platforms='linux/amd64 linux/arm64'
}

# Tests on a real control plane, which all packages share but those that stop the
# server. They and those of the image run each time (-count=1): go test would repeat an
# old result, since it does not know that they run the server's program.
integration() {
  use_memory
  go run ./test/shared hack/test.sh timed together
}

# Which permissions of the chart's roles no test on a real control plane has used.
rights() {
  RIGHTS_DIR=$(mktemp -d)
  export RIGHTS_DIR
  integration
  go test -count=1 -run '^TestRights$' ./test/rights
  rm -r "${RIGHTS_DIR}"
}

# Has tests keep their files in memory, on a machine with plenty of it. A store waits for its
# disk at each write, and the linker, beside the tests, keeps a disk busy for seconds.
use_memory() {
  local free
  free=$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 {print $4}') || return 0
  if ((${free:-0} >= 8 << 20)); then
    export GOTMPDIR=${GOTMPDIR:-${TMPDIR:-/tmp}} TMPDIR=/dev/shm
  fi
}

# What measures time or memory, with nothing beside it.
timed() {
  go test -race -count=1 -timeout 10m -p 1 -run '^TestTimed' ./test/drain ./test/lifecycle
}

# Everything else, in two rows side by side. More would take as long: the processors are busy.
together() {
  xargs -n 1 -P 2 hack/test.sh <<<'restarting others'
}

# Packages that end the server and start it again, many times, which takes seconds with the race detector. So their
# server has none, but for the one that a test runs in process; `make test-long` runs them with it.
readonly restart='./test/lifecycle ./test/replicas'
restarting() {
  # shellcheck disable=SC2086
  SERVER_BINARY=${PWD}/bin/maintenance-apiserver go test -race -count=1 -timeout 40m -p 1 -skip '^TestTimed' ${restart}
}

# The other packages. The server alone has the race detector, not the clients. What compares with all that they did comes
# after them.
others() {
  # shellcheck disable=SC2046,SC2086
  go test -count=1 -timeout 40m -p 1 -skip '^Test(Timed|Rights$)' $(go list ./test/... | grep -vxFf <(go list ${restart}))
}

# The model again, many more times, with the race detector and without.
models() {
  go test -timeout 2h -run 'TestModel$' ./pkg/drainer -model.runs=50000
  go test -race -timeout 2h -run 'TestModel$' ./pkg/drainer -model.runs=5000
  go test -timeout 2h -run 'TestModel$' ./cmd/apiserver/app/servingcert -model.runs=2000
  go test -timeout 2h -run 'TestAgainIsRight|TestInvariants' ./pkg/profiles/evaluation -model.runs=3000
  go test -timeout 2h -run 'TestModel$' ./pkg/cloudevents/machines -model.runs=1500
  go test -timeout 2h -run 'TestModel$' ./pkg/cloudevents/engine -model.runs=300
}

# Random expressions, templates and patches. What asks for too much memory fails at once, and does not
# take that of the machine.
fuzz() (
  ulimit -v $((6 << 20))
  go test -count=1 -timeout 2h -run '^TestRandomExpressions$' ./pkg/profiles/expression -random.runs=20000
  go test -count=1 -timeout 2h -run '^TestRandomTemplates$' ./pkg/profiles/message -random.runs=20000
  go test -run '^$' -fuzz '^FuzzEvaluate$' -fuzztime 3m ./pkg/profiles/expression
  go test -run '^$' -fuzz '^FuzzRender$' -fuzztime 3m ./pkg/profiles/message
  go test -run '^$' -fuzz '^FuzzPatch$' -fuzztime 3m ./pkg/profiles/action/patchobject
)

# Kills, orderly ends and restarts, again and again.
kills() {
  go test -race -timeout 2h -count=20 -run '^Test(Kill|Terminate|Restart)' ./test/lifecycle
  go test -race -timeout 2h -count=20 -run '^TestRestarts$' ./test/profiles
}

# Failovers of three replicas at other moments, with every store.
replicas() {
  go test -race -timeout 2h -count=5 ./test/replicas -replicas.all
}

# One server through hundreds of drains.
soak() {
  go run ./test/shared go test -race -timeout 2h -count=10 ./test/drain
}

readonly began=${SECONDS}
took=()

summary() {
  printf '%6d s  %s\n' "${took[@]}" $((SECONDS - began)) "$*"
}
trap 'summary "all of: $*"' EXIT

for name in "$@"; do
  since=${SECONDS}
  "${name}"
  took+=($((SECONDS - since)) "${name}")
done
