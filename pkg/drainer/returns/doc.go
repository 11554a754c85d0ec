// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package returns notes pods that come back: pods that a controller puts on a node although the node is
// cordoned, for example because they tolerate every taint and select the node. To evict each of them at
// once would be a storm: the controller is as fast as the drain.
//
// Therefore such pods are evicted one at a time for each controller and node. What becomes of one
// decides when the next one goes:
//
//   - The controller puts a pod back: the next one waits for 5 s, then for 10 s, and so on up to a minute.
//   - No pod comes within 5 s after the last one was gone: all that are left may go at once. So pods that
//     came while somebody had uncordoned the node are gone soon.
//
// The package makes no request and reads no clock: time is an input.
package returns
