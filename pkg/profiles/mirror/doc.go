// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package mirror writes on nodes, as events and as metrics what the SAP maintenance-controller has, for those who read it:
// affinities of workloads, dashboards, alerts. It follows NodeProfiles alone, and nothing depends on it.
//
// What it writes on a node has a mark with it, from which every later process knows it again. What does not fit to the mark
// is somebody else's. Before the mark is there, it is the state that the controller has left, and stays until it was
// adopted. Later, what a person has written is overwritten, and what a program has written is taken for the
// controller, which runs again: then nothing is written, and the shadow is told.
package mirror
