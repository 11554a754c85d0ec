// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package podaffinity knows, for the check of the same name, which nodes have pods that prefer nodes that are operational.
//
// It watches the pods of the nodes where a profile is MaintenanceRequired, and only while an evaluation of that profile
// wants the check: see evaluation.Outcome.Wants. Without such an evaluation nothing runs but one goroutine that waits. Of
// each pod that matters it keeps the name.
package podaffinity
