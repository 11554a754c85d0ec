// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package redact

import "github.com/medik8s/maintenance-apiserver/pkg/apis/maintenance/v1beta1"

// annotations are those that stay: our own, and those of Kubernetes that say how a pod, a volume or a node
// is treated. Others may hold anything: kubectl's last-applied-configuration has the values of environment
// variables, and kubernetes.io/change-cause has whole command lines.
var annotations = Fields{
	v1beta1.HoldsAnnotation:                                  nil,
	v1beta1.ImportedAnnotation:                               nil,
	v1beta1.GroupName + "/node-selector":                     nil,
	"cluster-autoscaler.kubernetes.io/safe-to-evict":         nil,
	"cluster-autoscaler.kubernetes.io/scale-down-disabled":   nil,
	"controller.kubernetes.io/pod-deletion-cost":             nil,
	"kubernetes.io/config.hash":                              nil,
	"kubernetes.io/config.mirror":                            nil,
	"kubernetes.io/config.seen":                              nil,
	"kubernetes.io/config.source":                            nil,
	"node.alpha.kubernetes.io/ttl":                           nil,
	"pv.kubernetes.io/bind-completed":                        nil,
	"pv.kubernetes.io/bound-by-controller":                   nil,
	"volume.kubernetes.io/selected-node":                     nil,
	"volume.kubernetes.io/storage-provisioner":               nil,
	"volumes.kubernetes.io/controller-managed-attach-detach": nil,
}
