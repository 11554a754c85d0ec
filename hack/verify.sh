#!/usr/bin/env bash
# Copyright The maintenance-apiserver Authors.
# SPDX-License-Identifier: Apache-2.0

# Checks that generated files are up to date. Every failure names the command that fixes it.
# The fastest checks come first.

set -o errexit
set -o nounset
set -o pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

failed=0

fail() {
  echo "FAILED: $1" >&2
  echo "        to fix it: $2" >&2
  failed=1
}

echo "Every Go file has the license header"
while read -r file; do
  if ! head -n 10 "${file}" | grep -q 'SPDX-License-Identifier: Apache-2.0'; then
    fail "${file} has no license header" "put hack/boilerplate.go.txt at its top"
  fi
done < <(git ls-files --cached --others --exclude-standard '*.go')

echo "Modules are tidy"
while read -r mod; do
  dir=$(dirname "${mod}")
  if ! (cd "${dir}" && go mod tidy -diff >/dev/null); then
    fail "${mod} is not tidy" "cd ${dir} && go mod tidy"
  fi
done < <(git ls-files --cached --others --exclude-standard 'go.mod' '**/go.mod')

copy=$(mktemp -d)
trap 'rm -rf "${copy}"' EXIT

echo "artifacts/install.yaml is what the chart makes"
if ! hack/update-manifests.sh "${copy}/install.yaml"; then
  fail "the chart cannot be rendered" "see above"
elif ! diff artifacts/install.yaml "${copy}/install.yaml" >&2; then
  fail "artifacts/install.yaml is stale" "make generate"
fi

echo "Generated code is up to date"
git ls-files -z --cached --others --exclude-standard go.mod go.sum hack pkg | xargs -0 cp --parents -t "${copy}"
mkdir -p "${copy}/bin" bin/codegen
ln -s "${PWD}/bin/codegen" "${copy}/bin/codegen"
if ! "${copy}/hack/update-codegen.sh" >"${copy}/log" 2>&1; then
  tail -n 20 "${copy}/log" >&2
  fail "the generators do not run" "see above"
elif ! diff -r pkg "${copy}/pkg" >&2 || ! diff hack/openapi-violations.list "${copy}/hack/openapi-violations.list" >&2; then
  fail "generated code is stale" "make generate"
fi

exit "${failed}"
