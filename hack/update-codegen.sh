#!/usr/bin/env bash
# Copyright The maintenance-apiserver Authors.
# SPDX-License-Identifier: Apache-2.0

# Regenerates everything that is generated from pkg/apis: deep copies, defaults,
# OpenAPI and all client code. Run it with `make generate`.

set -o errexit
set -o nounset
set -o pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

module=github.com/medik8s/maintenance-apiserver
boilerplate="${PWD}/hack/boilerplate.go.txt"

# The generators are installed here, so that no other copy of them is overwritten.
GOBIN="${PWD}/bin/codegen"
export GOBIN
codegen_dir=$(cd hack/tools/codegen && go mod download k8s.io/code-generator && go list -m -f '{{.Dir}}' k8s.io/code-generator)
# shellcheck source=/dev/null
source "${codegen_dir}/kube_codegen.sh"

kube::codegen::gen_helpers --boilerplate "${boilerplate}" pkg/apis

kube::codegen::gen_openapi \
  --output-dir pkg/generated/openapi \
  --output-pkg "${module}/pkg/generated/openapi" \
  --extra-pkgs k8s.io/apimachinery/pkg/util/intstr \
  --report-filename hack/openapi-violations.list \
  --update-report \
  --output-model-name-file zz_generated.model_name.go \
  --boilerplate "${boilerplate}" \
  pkg/apis

kube::codegen::gen_client \
  --with-watch \
  --with-applyconfig \
  --output-dir pkg/generated \
  --output-pkg "${module}/pkg/generated" \
  --boilerplate "${boilerplate}" \
  pkg/apis

# Check that openapi-gen has not written into the module cache.
go mod verify >/dev/null
