// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package binaries builds the programs of the local control plane from the Go modules next
// to it. It builds them again only if a module or the version of Go changes.
package binaries
