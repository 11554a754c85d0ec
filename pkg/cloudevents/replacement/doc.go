// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package replacement decides how the machine of a node is replaced, step by step. It is pure: it is told how far a
// replacement is and what package machines has seen, and says what is stored next and what is done then.
//
// What is stored names the step that is under way. It is stored before anything is done for it, and each act can be
// done again, so that a crash repeats nothing:
//
//	SurgeFirst:  Surge, AwaitNewNode, AwaitDrain, Delete, AwaitGone, AwaitReplaced, Replaced
//	DeleteFirst: AwaitDrain, Delete, AwaitGone, AwaitReplaced, Replaced
//	undone:      Undo, GivenUp
//
// next.go says which file has a step: begin.go, surge.go, delete.go or after.go.
//
// Whether a machine was added for an event is not remembered here. The owner's annotation says it, which is written
// together with its replicas.
package replacement
