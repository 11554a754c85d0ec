// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

// Package clusterstore stores objects in the API of the cluster that this server belongs to.
//
// Each object is in an envelope: a custom resource of the same name, whose field data has the bytes that the codec
// made. The object's own metadata is in there too, so the cluster sees no finalizer and no deletion timestamp of it.
// Labels, and the fields that lists select by, are repeated outside, for the cluster to select by. The envelope's
// resourceVersion is the object's.
//
// The package does what an etcd would do elsewhere. What else a watch needs, such as history, bookmarks and
// consistent reads, the cluster has.
package clusterstore
