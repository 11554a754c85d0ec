// Copyright The maintenance-apiserver Authors.
// SPDX-License-Identifier: Apache-2.0

package binaries

import (
	"fmt"
	"slices"
)

// The programs of the control plane, as their files are called in the binary directory.
const (
	Etcd                  = "etcd"
	KubeAPIServer         = "kube-apiserver"
	KubeControllerManager = "kube-controller-manager"
	KubeScheduler         = "kube-scheduler"
	Kubectl               = "kubectl"
	Kwok                  = "kwok"
	// Helm is no program of a control plane: it renders our chart.
	Helm = "helm"
	// MaintenanceAPIServer is built from this repository by its Makefile, not here.
	MaintenanceAPIServer = "maintenance-apiserver"
)

// The directories of the modules that pin the programs, below hack/localcluster.
const (
	kubernetesModule = "kubernetes"
	kwokModule       = "kwok"
	helmModule       = "helm"
)

type program struct {
	name       string
	module     string
	importPath string
}

// programs are the programs to build. The order is the one that shows progress soonest.
func programs() []program {
	return []program{
		{Etcd, kubernetesModule, "go.etcd.io/etcd/server/v3"},
		{KubeAPIServer, kubernetesModule, "k8s.io/kubernetes/cmd/kube-apiserver"},
		{KubeControllerManager, kubernetesModule, "k8s.io/kubernetes/cmd/kube-controller-manager"},
		{KubeScheduler, kubernetesModule, "k8s.io/kubernetes/cmd/kube-scheduler"},
		{Kubectl, kubernetesModule, "k8s.io/kubernetes/cmd/kubectl"},
		{Kwok, kwokModule, "sigs.k8s.io/kwok/cmd/kwok"},
		{Helm, helmModule, "helm.sh/helm/v4/cmd/helm"},
	}
}

// programsNamed are the programs of the names, or all if there are none.
func programsNamed(names []string) ([]program, error) {
	if len(names) == 0 {
		return programs(), nil
	}
	var named []program
	for _, name := range names {
		at := slices.IndexFunc(programs(), func(p program) bool { return p.name == name })
		if at < 0 {
			return nil, fmt.Errorf("could not build %s: it is no program of the local cluster", name)
		}
		named = append(named, programs()[at])
	}
	return named, nil
}
