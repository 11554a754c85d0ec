// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package binaries builds the programs of the local control plane from the Go
// modules beside it, once, and reuses them until a module or Go itself changes.
package binaries
