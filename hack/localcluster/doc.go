// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package localcluster runs a real Kubernetes control plane on loopback, with simulated
// nodes and workloads, and our API server registered with it. People use the command in
// cmd; tests call Start and Cluster.Stop.
//
// All files of a cluster are in one directory. It also records every process of the cluster,
// with an identity that is never reused. So another process can open the cluster (Open),
// repair it (Start) or stop it (Stop).
package localcluster
