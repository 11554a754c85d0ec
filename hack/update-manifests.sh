#!/usr/bin/env bash
# Copyright The maintenance-apiserver Authors.
# SPDX-License-Identifier: Apache-2.0

# Renders the chart into artifacts/install.yaml, or into the file that is named, for those who do
# not use Helm. `make generate` runs it.

set -o errexit
set -o nounset
set -o pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

go run ./hack/localcluster/cmd build helm >/dev/null

{
  echo "# Rendered from chart/ by make generate. Replace REGISTRY and TAG by those of your image."
  bin/helm template maintenance-apiserver chart --namespace maintenance-system --no-hooks \
    --set namespace.create=true,image.repository=REGISTRY/maintenance-apiserver,image.tag=TAG
} >"${1:-artifacts/install.yaml}"
