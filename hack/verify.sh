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

echo "Every manifest in artifacts/ is listed in its kustomization"
for kustomization in artifacts/kustomization.yaml artifacts/*/kustomization.yaml; do
  for manifest in "$(dirname "${kustomization}")"/*.yaml; do
    if [[ ${manifest} != "${kustomization}" ]] && ! grep -qx -- "- ${manifest##*/}" "${kustomization}"; then
      fail "${manifest} is not listed" "add it to ${kustomization}"
    fi
  done
done

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

echo "Generated code is up to date"
copy=$(mktemp -d)
trap 'rm -rf "${copy}"' EXIT
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
