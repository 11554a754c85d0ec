# Copyright The maintenance-apiserver Authors.
# SPDX-License-Identifier: Apache-2.0

SHELL := /usr/bin/env bash
.SHELLFLAGS := -o errexit -o nounset -o pipefail -c
.DEFAULT_GOAL := help

# The local cluster: how many nodes, in how many zones, and where its state lies.
NODES ?= 5
ZONES ?= 3
# How many processes of our server, and where they store: embedded (one only), etcd or cluster.
REPLICAS ?= 1
STORE ?=
CLUSTER_DIR ?= .localcluster
# Further flags for `make up`, such as --deployments 20 --ready-delay 3s; all of
# them: go run ./hack/localcluster/cmd up --help
UP_FLAGS ?=
# Set to 1, the local cluster also serves the API groups of the node-maintenance operators.
LEGACY ?=
# How often `make bench` measures everything.
ROUNDS ?= 1
# The cluster that `make run` serves, and drains: whichever your shell names, else the local one.
KUBECONFIG ?=

# What the image is built for, and where it is pushed to: REGISTRY/REPOSITORY:TAG.
IMAGE_PLATFORMS ?= linux/amd64 linux/arm64
PUSH ?=

# The modules that have Go files of ours.
modules := . hack/tools/image
localcluster := go run ./hack/localcluster/cmd
legacy_flag := $(if $(LEGACY),--legacy)
# hack/version.sh says which version is built. VERSION=v1.2.3 has it say another.
ldflags = ldflags=$$(hack/version.sh ldflags)
# Everything is built and tested with the toolchain that is installed.
export GOTOOLCHAIN = local

##@ Use

.PHONY: demo
demo: build cluster-binaries ## Put a node into maintenance and give it back, on a real control plane
	hack/demo.sh

.PHONY: up
up: build cluster-binaries ## Start a local cluster with our server in it (NODES=5 ZONES=3 REPLICAS=1 STORE= LEGACY=)
	$(localcluster) up --dir $(CLUSTER_DIR) --nodes $(NODES) --zones $(ZONES) --server-replicas $(REPLICAS) --store '$(STORE)' $(legacy_flag) $(UP_FLAGS)

.PHONY: down
down: ## End what `make up` started
	$(localcluster) down --dir $(CLUSTER_DIR)

.PHONY: run
run: build ## Run only our server, in the foreground, against $KUBECONFIG (the local cluster: STORE= LEGACY=)
ifneq ($(filter-out $(abspath $(CLUSTER_DIR)/kubeconfig),$(abspath $(KUBECONFIG))),)
	bin/maintenance-apiserver --kubeconfig $(KUBECONFIG) --data-dir $(CLUSTER_DIR)/run-data --bind-address 127.0.0.1
else
	$(localcluster) serve --dir $(CLUSTER_DIR) --store '$(STORE)' $(legacy_flag)
endif

##@ Build

.PHONY: build
build: ## Build bin/maintenance-apiserver
	$(ldflags) && CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags "$$ldflags" -o bin/maintenance-apiserver ./cmd/apiserver

.PHONY: race-server
race-server: ## Build bin/race/maintenance-apiserver, the server under test
	$(ldflags) && CGO_ENABLED=1 go build -race -ldflags "$$ldflags" -o bin/race/maintenance-apiserver ./cmd/apiserver

.PHONY: image
image: ## Build bin/image, an OCI layout for all platforms, and push it (PUSH=registry/repository:tag)
	go run -C hack/tools/image . --source $(CURDIR) --output $(CURDIR)/bin/image \
		--platforms '$(IMAGE_PLATFORMS)' --push '$(PUSH)'

.PHONY: version
version: ## Print the version that is built
	@hack/version.sh version

.PHONY: cluster-binaries
cluster-binaries: ## Build the local cluster's programs into bin/, once
	$(localcluster) build

.PHONY: chart
chart: ## Package the chart into bin/, with the version of git
	$(localcluster) build helm
	version=$$(hack/version.sh version) && \
		bin/helm package chart --version "$${version#v}" --app-version "$$version" --destination bin

##@ Test

# hack/test.sh says at the end where the time went.
.PHONY: test
test: ## Run every test, with the race detector
	hack/test.sh unit model programs image integration

.PHONY: test-quick
test-quick: ## Run the tests that need no cluster, without the race detector, and one drain on a real control plane
	hack/test.sh quick

.PHONY: test-unit
test-unit: ## Run the tests that need no cluster
	hack/test.sh unit model

.PHONY: test-integration
test-integration: ## Run the tests on a real control plane
	hack/test.sh programs integration

.PHONY: test-long
test-long: ## Run what is random or rare many times, for about an hour and a half
	hack/test.sh programs images models fuzz kills replicas soak

.PHONY: test-rights
test-rights: ## Run the tests on a real control plane, and name the permissions of the chart that none has used
	hack/test.sh programs rights

.PHONY: bench
bench: build cluster-binaries ## Measure the drain engine beside kubectl drain (ROUNDS=1; more flags in BENCH_FLAGS)
	go test -run '^$$' -bench . -benchmem ./pkg/drainer/... ./pkg/fleet/...
	go run ./test/bench -rounds $(ROUNDS) $(BENCH_FLAGS)

.PHONY: bench-stores
bench-stores: build cluster-binaries ## Measure creates with each store: embedded, etcd and cluster
	go test -run '^$$' -bench Create -benchtime 1x ./test/storeapi

.PHONY: bench-decisions
bench-decisions: ## Measure one decision over who may start maintenance, in small and large fleets
	go test -run '^$$' -bench Decide -benchmem ./pkg/fleet/decision

##@ Check

.PHONY: lint
lint: bin/golangci-lint ## Run the linters
	for module in $(modules); do (cd $$module && $(CURDIR)/bin/golangci-lint run ./...); done

.PHONY: verify
verify: ## Check that generated code, modules and manifests are up to date
	hack/verify.sh

##@ Change

.PHONY: generate
generate: ## Regenerate what is generated from pkg/apis, and artifacts/install.yaml from chart/
	hack/update-codegen.sh
	hack/update-manifests.sh

.PHONY: stored-objects
stored-objects: ## Write the objects as this version stores them, for the tests of later ones
	go test ./pkg/apis/maintenance/stored -count 1 -update

.PHONY: fmt
fmt: bin/golangci-lint ## Format the code
	for module in $(modules); do (cd $$module && $(CURDIR)/bin/golangci-lint fmt ./...); done

bin/golangci-lint: hack/tools/golangci-lint/go.mod hack/tools/golangci-lint/go.sum
	cd hack/tools/golangci-lint && CGO_ENABLED=0 go build -o $(CURDIR)/$@ github.com/golangci/golangci-lint/v2/cmd/golangci-lint
	touch $@

.PHONY: clean
clean: down ## End the local cluster and remove what was built
	rm -rf bin $(CLUSTER_DIR)

.PHONY: help
help: ## Show this help
	@awk 'BEGIN {FS = ":.*## "} /^##@/ {printf "\n%s\n", substr($$0, 5)} /^[a-z-]+:.*## / {printf "  %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
