// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package balance stands in for what a real cluster has between a client and the replicas of our
// server: a Service, and the network. A Balancer forwards connections to replicas that are ready. A
// Link forwards connections to one address until somebody cuts it.
package balance
