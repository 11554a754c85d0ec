// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package aggregate knows of all nodes together what checks of profiles ask, and which NodeProfiles must be evaluated again
// after a change. Informers tell it of each node, profile and NodeProfile. It keeps its counts and indexes up to date step
// by step, so no check of one node walks through all nodes.
//
// It keeps only what profiles ask for: indexes of the labels that checks name, and otherwise pointers to the objects that
// the informers have in memory anyway. These must not be changed.
//
// A change wakes a NodeProfile only if a check of a transition out of its state may now say something else: a heartbeat
// wakes none, and a label of another node only those whose answer about the cluster has become another one. Changes of the
// ledger and of holds, and time, are for others to follow.
//
// # Files
//
//	aggregate.go, view.go       what it knows; how evaluations look at it
//	nodes.go, profiles.go,      what follows from a change of each
//	nodeprofiles.go
//	needs.go, inputs.go         what checks depend on; whether a node has changed in that
//	question.go                 what is asked of the cluster, and for whom a new answer makes a difference
//	index.go, labelindex.go,    the nodes by the labels that checks name
//	versionindex.go, names.go
package aggregate
