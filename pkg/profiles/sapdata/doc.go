// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package sapdata has what the SAP maintenance-controller writes on nodes, in its words: the annotation with its state of
// each profile, and the label with the state of the node. It is pure. The mirrors write it for those who read it, and
// the engine adopts from it where the controller has stopped.
package sapdata
