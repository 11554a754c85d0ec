// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package clusterwatch knows the cluster, and changes nothing: so every process may have a Watcher. It caches holds, nodes,
// budgets, DaemonSets, namespaces and VolumeAttachments, watches the pods of nodes under drain, says what a drain would do,
// and reads from the API servers what a cache must not decide.
//
//	watcher.go, load.go    what the cluster is like, and what a drain of a node would do
//	caches.go, trim.go     informers and their indexes; what is cut off an object before it is cached
//	catchup.go             waits until the caches show what the process that led before did
//	live.go                reads from the API servers, and never from the caches
//	podwatch.go            watches the pods of each node under drain, and of no other
//	select.go              which pods a drain evicts at all, by kubectl's own filters
//	volumes.go             which nodes can have the volumes of a pod
package clusterwatch
