// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package process starts programs on this machine, finds them again from
// another process, and ends exactly those. It reads /proc and therefore needs
// Linux.
package process
