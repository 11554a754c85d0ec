// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package kubernikus labels nodes whose kubelet is to be updated, and deletes the servers of nodes in OpenStack when a
// label asks for that. Kubernikus then makes new ones. A server has the name of its node.
//
//	label cloud.sap/kubelet-needs-update  written: whether the kubelet has another version than the API server
//	label cloud.sap/delete-node           read: true has the node drained, and then its server deleted
//
// A node is held until it is gone, or until the label is. Files: integration.go the rounds; version.go the first label;
// remove.go the second; cloud.go and cloudconf.go how OpenStack is asked.
package kubernikus
