// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package app

import (
	"k8s.io/client-go/kubernetes"

	"github.com/medik8s/maintenance-apiserver/cmd/apiserver/app/options"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer"
	"github.com/medik8s/maintenance-apiserver/pkg/drainer/nodelease"
)

// nodeLeaseGates returns the gate that takes the leases of nodes; none if that is off.
func nodeLeaseGates(o *options.NodeLeaseOptions, kube kubernetes.Interface) []drainer.Gate {
	if nodelease.Form(o.Form) == nodelease.Off {
		return nil
	}
	return []drainer.Gate{nodelease.New(nodelease.Config{Kube: kube, Form: nodelease.Form(o.Form), Namespace: o.Namespace})}
}
