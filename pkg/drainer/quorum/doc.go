// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package quorum keeps enough members of the control plane in service. A member is a node with the label
// node-role.kubernetes.io/control-plane or node-role.kubernetes.io/master. Of N members, N/2 + 1 must stay
// in service, as etcd needs them.
//
// One pure function, Decide, says whether a node may be taken, and explains it (rule.go, message.go). It is
// asked twice, about different facts:
//
//	when               which other members count as out                                      file
//	a hold is created  not ready, in maintenance, or asked for by a stored hold              check.go
//	before the cordon  not ready, in maintenance, or let pass already                        gate.go
//
// Before the cordon, what is only asked for does not count: two nodes that wait would have each other wait for
// ever. On OpenShift the disruption budget of etcd must agree both times (openshift.go).
//
// What was let pass counts as out until the node has been given back; until it is cordoned, it is decided again each
// time it is asked for. After a restart the marks on the nodes and the statuses of the holds say what is out. Where they
// leave it open, the member counts as out (members.go), and is read past the caches when it is asked for (live.go).
//
// Guard (guard.go) keeps its answers until a node has been given back or is gone. wake.go wakes the nodes that wait.
package quorum
