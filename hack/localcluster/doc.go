// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package localcluster runs a real Kubernetes control plane on loopback, with
// simulated nodes and workloads, and our API server registered with it. The
// command beside it serves people; tests call Start and Cluster.Stop.
//
// Everything a cluster has lies in one folder, and every process it started is
// recorded there by an identity that is never handed out twice, so another
// process can take the cluster over (Open), repair it (Start) or end it (Stop).
package localcluster
