// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package nodemarks knows what a node in maintenance carries: the taints, the label and the annotation that the cordon
// sets, the mark of a planned maintenance, and the conditions. It says what a node was like before, and which patches set
// the marks and take them off. It is pure, and knows nothing of holds but what the annotation says.
//
//	marks.go             what a node carries, and what is recorded of it before its cordon
//	nodepatch.go         the patches of the cordon and of the give-back
//	nodeconditions.go    the patch of the conditions
package nodemarks
