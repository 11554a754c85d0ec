// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package integrations has what the integrations with clouds share: the NodeMaintenance of an integration on a node
// (hold.go), reading and marking nodes (nodes.go), and the loop of rounds (loop.go).
//
// An integration runs beside the drainer while its process leads. It takes nodes out of service only with
// NodeMaintenances. In each round it looks at what is there: labels and annotations of nodes, and the cloud. It keeps
// nothing that a restart would lose, and a step that is repeated changes nothing more.
//
// reporter.go sends events. fence.go keeps a process that was paused from calling clouds.
package integrations
