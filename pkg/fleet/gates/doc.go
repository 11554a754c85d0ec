// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package gates checks the gates of policies: those for the start of maintenance, for the admitter, and those for the
// release, which keep a node cordoned until it is fit for service.
//
// A gate that is looked up in memory, such as a condition of the node, is judged at once. The others (Prometheus, the
// plan of a drain, pods of DaemonSets) are questions: the asker asks them in the background, again and again while
// somebody wants to know, and everybody else uses its last findings. So nobody waits for an answer, and no policy for
// the gates of another one. What gets no answer does not pass.
//
//	gates.go          what start and release have in common
//	judge.go          whether one gate passes
//	nodecondition.go  pure: the condition of a node
//	daemonsets.go     pure: which DaemonSets lack a ready pod on a node
//	find.go           answers to questions: requests are made here, and nowhere else
//	asker.go          asks questions in the background
//	start.go          start gates, as the admitter's Checker
//	release.go        release gates, as the drainer's Keeper
package gates
